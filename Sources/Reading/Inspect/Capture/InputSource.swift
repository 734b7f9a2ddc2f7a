internal import Synchronization
internal import TapelineSystem

/// A file to read, or standard input: open, and the same file however often it is read.
package final class InputSource: Sendable {
  /// The ways in which the reader needs to read the source.
  package enum Use: Sendable {
    case once
    /// From its start, several times. A source that cannot do that, such as a pipe, is kept in a temporary file.
    case again
    /// At any position. Compressed content is also kept in a temporary file.
    case anywhere
    /// As it grows, while it is being recorded. For every other use, such a file is as it was when it was opened.
    case following
  }

  /// As the user named it; `-` is standard input.
  package let name: String
  /// The source owns the descriptor.
  private let descriptor: Int32
  /// The start of the reading; `nil` if the system keeps the position, as for a pipe.
  private let start: Int?
  /// Whether it is read unchanged, even if it looks compressed.
  let isPlain: Bool
  /// The compression that it had before, as in `gzip`.
  let formerCompression: String?
  /// The size that it had then.
  let packedSize: Int?
  /// The end that a file had when it was opened, if a recorder was writing it.
  private let tail: RecordedTail?

  private let isRead = Atomic(false)

  /// Whether nobody has called this before: who reads it first reports what is wrong with it.
  package func claimFirstReading() -> Bool {
    !isRead.exchange(true, ordering: .relaxed)
  }

  /// Whether any part can be read at any time.
  var isSeekable: Bool { start != nil }

  private init(
    name: String, descriptor: Int32, start: Int?, isPlain: Bool = false, formerCompression: String? = nil, packedSize: Int? = nil,
    tail: RecordedTail? = nil
  ) {
    self.name = name
    self.descriptor = descriptor
    self.start = start
    self.isPlain = isPlain
    self.formerCompression = formerCompression
    self.packedSize = packedSize
    self.tail = tail
  }

  /// The number of bytes from the start on, if known.
  var size: Int? {
    if let tail { return tail.offset + tail.bytes.count }
    guard let start, let status = Self.status(of: descriptor) else { return nil }
    return max(0, status.size - start)
  }

  /// Seconds since 1970 at the last change of the file; `nil` if the source is not one.
  package var modified: Int? {
    guard !isPlain, start != nil, let status = Self.status(of: descriptor) else { return nil }
    return Int(status.modified)
  }

  /// Whether the source's name still names its file.
  package var isInPlace: Bool {
    guard let own = Self.status(of: descriptor), let named = SystemCalls.statusIfPresent(of: name) else { return false }
    return (own.device, own.inode) == (named.device, named.inode)
  }

  /// The state of the capture, if it is a file that its name names, read from its start.
  package var stamp: CaptureStamp? {
    guard name != "-", !isPlain, start == 0, let status = Self.status(of: descriptor) else { return nil }
    return CaptureStamp(status)
  }

  deinit {
    // A close error does not matter: nothing was written here that a caller needs.
    SystemCalls.discard(descriptor)
  }

  /// Opens a file; `-` is standard input.
  ///
  /// - Parameter directory: where to make a temporary file if one is needed. It has no name, and ends with its last reader.
  package static func open(
    _ path: String, for use: Use = .once, temporariesIn directory: String = "/tmp"
  ) throws(CaptureError) -> InputSource {
    let source = try open(path, isFollowed: use == .following)
    if use != .following, let log = try source.archivedLog(in: directory) { return log }
    switch use {
    case .once, .following: return source
    case .again: return try source.start == nil ? source.kept(in: directory, decompressed: false) : source
    case .anywhere:
      if source.start != nil, try !InputFile(source, expecting: .anything).isCompressed() { return source }
      return try source.kept(in: directory, decompressed: true)
    }
  }

  private static func open(_ path: String, isFollowed: Bool) throws(CaptureError) -> InputSource {
    let opened = try CaptureError.rethrowing { () throws(SystemCallError) in
      path == "-" ? try SystemCalls.duplicate(StandardStream.input) : try SystemCalls.open(path)
    }
    let isRegular = status(of: opened)?.kind == .regular
    let start = isRegular ? position(of: opened) : nil
    let isRecorded = start == 0 && !isFollowed && isLocked(opened)
    return InputSource(
      name: path, descriptor: opened, start: start, tail: isRecorded ? RecordedTail(of: opened) : nil)
  }

  private static func status(of descriptor: Int32) -> FileStatus? {
    do throws(SystemCallError) {
      return try SystemCalls.status(of: descriptor)
    } catch {
      return nil
    }
  }

  private static func position(of descriptor: Int32) -> Int? {
    do throws(SystemCallError) {
      return try SystemCalls.position(of: descriptor)
    } catch {
      return nil
    }
  }

  /// The log of a ZIP archive in a temporary file without a name; `nil` if this is none, or a damaged one.
  private func archivedLog(in directory: String) throws(CaptureError) -> InputSource? {
    guard start == 0, name != "-", let archive = ZipArchive(path: name), archive.hasLog else { return nil }
    let copy: InputSource
    do throws(PrivateFileError) {
      let descriptor = try PrivateFile.unnamed(in: directory)
      copy = InputSource(name: name, descriptor: descriptor, start: 0, isPlain: true, formerCompression: "ZIP", packedSize: size)
    } catch {
      throw .notKept(directory: directory, reason: error.description)
    }
    do throws(SystemCallError) {
      let isWhole = try archive.unpackLog { (piece) throws(SystemCallError) in
        try SystemCalls.writeAll(piece, to: copy.descriptor)
      }
      return isWhole ? copy : nil
    } catch {
      throw .notKept(directory: directory, reason: error.text)
    }
  }

  /// A copy of the source in a temporary file without a name.
  private func kept(in directory: String, decompressed: Bool) throws(CaptureError) -> InputSource {
    var file = InputFile(self, expecting: .anything, decompresses: decompressed)
    var hasMore = try file.read()
    let copy: InputSource
    do throws(PrivateFileError) {
      let descriptor = try PrivateFile.unnamed(in: directory)
      copy = InputSource(
        name: name, descriptor: descriptor, start: 0, isPlain: decompressed, formerCompression: file.compression,
        packedSize: file.compression == nil ? packedSize : size ?? packedSize)
    } catch {
      throw .notKept(directory: directory, reason: error.description)
    }
    while hasMore {
      do throws(SystemCallError) {
        try file.withPiece { (piece) throws(SystemCallError) in try SystemCalls.writeAll(piece, to: copy.descriptor) }
      } catch {
        throw .notKept(directory: directory, reason: error.text)
      }
      hasMore = try file.read()
    }
    return copy
  }

  /// Fills `room` from `offset` on with the bytes at `place`, or with the next bytes if the system keeps the position.
  ///
  /// - Returns: the number of bytes; 0 at the end.
  func read(at place: Int, into room: inout [UInt8], from offset: Int = 0) throws(CaptureError) -> Int {
    if let tail, place >= tail.offset {
      let rest = tail.bytes.dropFirst(place - tail.offset).prefix(room.count - offset)
      room.replaceSubrange(offset..<offset + rest.count, with: rest)
      return rest.count
    }
    do throws(SystemCallError) {
      let count = try SystemCalls.read(descriptor, at: start.map { $0 + place }, into: &room, from: offset)
      return tail.map { min(count, $0.offset - place) } ?? count
    } catch {
      throw CaptureError(error)
    }
  }

  /// The last bytes, as they are in the file; `nil` for a source such as a pipe, whose end cannot be read first.
  func end(atMost limit: Int) throws(CaptureError) -> [UInt8]? {
    guard let size else { return nil }
    var bytes = [UInt8](repeating: 0, count: min(size, limit))
    var filled = 0
    while filled < bytes.count {
      let count = try read(at: size - bytes.count + filled, into: &bytes, from: filled)
      if count == 0 { break }
      filled += count
    }
    bytes.removeLast(bytes.count - filled)
    return bytes
  }

  /// Whether the path names the same file.
  package func isFile(at path: String) -> Bool {
    guard let own = Self.status(of: descriptor), let other = SystemCalls.statusIfPresent(of: path) else { return false }
    return own.isSameFile(as: other)
  }

  /// Whether a recorder has locked it; our recorders lock the files that they write.
  package var isLocked: Bool { Self.isLocked(descriptor) }

  private static func isLocked(_ descriptor: Int32) -> Bool {
    do throws(SystemCallError) {
      guard try SystemCalls.tryLock(descriptor, .shared) else { return true }
    } catch {
      return false
    }
    SystemCalls.unlock(descriptor)
    return false
  }
}
