internal import Glibc
internal import TapelineFiles

/// A file that is read, or standard input: open, and the same however often it is read.
package final class InputSource: Sendable {
  /// What the reader needs besides going through it once.
  package enum Use: Sendable {
    case once
    /// From its start, several times. What cannot be, as a pipe, is kept in a temporary file.
    case again
    /// Anywhere in it. What is compressed is kept in a temporary file as well.
    case anywhere
  }

  /// As it was named; `-` is standard input.
  package let name: String
  /// Owned.
  private let descriptor: Int32
  /// Where the reading begins; `nil` where the system keeps the place, as of a pipe.
  private let start: Int?
  /// Whether it is read as it is, although it may look compressed.
  let isPlain: Bool
  /// What it was compressed with before, as in `gzip`.
  let formerCompression: String?

  /// Whether any part of it can be read at any time.
  var isSeekable: Bool { start != nil }

  private init(name: String, descriptor: Int32, start: Int?, isPlain: Bool = false, formerCompression: String? = nil) {
    self.name = name
    self.descriptor = descriptor
    self.start = start
    self.isPlain = isPlain
    self.formerCompression = formerCompression
  }

  /// Bytes from the start on, as far as that is known.
  var size: Int? {
    var status = stat()
    guard let start, unsafe fstat(descriptor, &status) == 0 else { return nil }
    return max(0, Int(status.st_size) - start)
  }

  deinit {
    // Nothing was written that anybody waits for.
    _ = close(descriptor)
  }

  /// Opens a file; `-` is standard input.
  ///
  /// - Parameter directory: where a temporary file is made if one is needed; it has no name, and goes with its last reader.
  package static func open(
    _ path: String, for use: Use = .once, temporariesIn directory: String = "/tmp"
  ) throws(CaptureError) -> InputSource {
    let source = try open(path)
    switch use {
    case .once: return source
    case .again: return try source.start == nil ? source.kept(in: directory, decompressed: false) : source
    case .anywhere:
      if source.start != nil, try !InputFile(source, expecting: .anything).isCompressed() { return source }
      return try source.kept(in: directory, decompressed: true)
    }
  }

  private static func open(_ path: String) throws(CaptureError) -> InputSource {
    let isStandardInput = path == "-"
    // errno is read before anything else can run: nothing of ours may come between the call and it.
    let opened = unsafe path.withCString { path in
      let descriptor =
        isStandardInput ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
      return descriptor < 0 ? -errno : descriptor
    }
    guard opened >= 0 else { throw .system(code: -opened) }
    var status = stat()
    let isRegular = unsafe fstat(opened, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    let place = isRegular ? lseek(opened, 0, SEEK_CUR) : -1
    return InputSource(name: path, descriptor: opened, start: place < 0 ? nil : place)
  }

  /// A copy without a name, of what this one gives once.
  private func kept(in directory: String, decompressed: Bool) throws(CaptureError) -> InputSource {
    var file = InputFile(self, expecting: .anything, decompresses: decompressed)
    var hasMore = try file.read()
    let copy: InputSource
    do throws(PrivateFileError) {
      let descriptor = try PrivateFile.unnamed(in: directory)
      copy = InputSource(
        name: name, descriptor: descriptor, start: 0, isPlain: decompressed, formerCompression: file.compression)
    } catch {
      throw .notKept(directory: directory, reason: error.description)
    }
    while hasMore {
      let cause = file.withPiece { piece in copy.append(piece) }
      guard cause == 0 else { throw .notKept(directory: directory, reason: CaptureError.system(code: cause).description) }
      hasMore = try file.read()
    }
    return copy
  }

  /// 0, or the error's code.
  private func append(_ bytes: Span<UInt8>) -> Int32 {
    unsafe bytes.withUnsafeBytes { bytes in
      var written = 0
      while written < bytes.count {
        let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
        let count = unsafe write(descriptor, rest.baseAddress, rest.count)
        if count >= 0 {
          written += count
        } else if errno != EINTR {
          return errno
        }
      }
      return 0
    }
  }

  /// Fills `room` from `offset` on with what stands at `place`, or with what comes next where the system keeps the place.
  ///
  /// - Returns: how many bytes; 0 at the end.
  func read(at place: Int, into room: inout [UInt8], from offset: Int = 0) throws(CaptureError) -> Int {
    while true {
      let (count, cause) = unsafe room.withUnsafeMutableBytes { room -> (Int, Int32) in
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: room[offset...])
        let count =
          if let start {
            unsafe pread(descriptor, rest.baseAddress, rest.count, start + place)
          } else {
            unsafe Glibc.read(descriptor, rest.baseAddress, rest.count)
          }
        return (count, errno)
      }
      guard count < 0 else { return count }
      if cause != EINTR { throw .system(code: cause) }
    }
  }

  /// The last bytes, as they came; `nil` where it has no end that can be looked at before what comes before it, as a pipe.
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

  /// Whether the path names the very file that is read.
  package func isFile(at path: String) -> Bool {
    var own = stat()
    var other = stat()
    return unsafe fstat(descriptor, &own) == 0 && stat(path, &other) == 0 && own.st_dev == other.st_dev
      && own.st_ino == other.st_ino
  }

  /// Whether a recorder has locked it, as ours do what they write into.
  var isLocked: Bool {
    guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { return errno == EWOULDBLOCK }
    _ = flock(descriptor, LOCK_UN)
    return false
  }
}
