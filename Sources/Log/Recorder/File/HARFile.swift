internal import TapelineHAR
internal import TapelineSystem

/// A HAR on disk that parses after every append: each one overwrites the closing brackets with entries and new brackets.
///
/// Owned by the recorder's thread. The file is ours alone: it did not exist, was empty or was to be replaced, and we lock it.
struct HARFile: ~Copyable {
  let path: String
  private let descriptor: Int32
  private var writer: BlockWriter
  /// The current end of the file.
  private var closing: [UInt8]

  /// Makes the file with everything up to its first entry, but no entries.
  init(
    path: String, replacing replaces: Bool = false, opening: borrowing JSONWriter, closing: [UInt8]
  ) throws(RecorderError) {
    let descriptor = try Self.create(path, replacing: replaces)
    var writer = BlockWriter(descriptor)
    opening.withBytes { writer.text.append(json: $0) }
    do throws(SystemCallError) {
      try writer.write(closing: closing)
    } catch {
      SystemCalls.discard(descriptor)
      SystemCalls.removeIfPossible(path)
      throw .cannotCreate(path: path, code: error.code)
    }
    self.path = path
    self.descriptor = descriptor
    self.writer = writer
    self.closing = closing
    keep()
  }

  /// Goes on with the file that a crash of this process has left, whose lock it still has.
  init(continuing path: String, behind tail: LogTail, closing: [UInt8]) throws(RecorderError) {
    writer = BlockWriter(tail.descriptor, end: tail.end, block: tail.block.span)
    self.path = path
    descriptor = tail.descriptor
    self.closing = closing
    do throws(SystemCallError) {
      try writer.write(closing: closing)
      try writer.cut(closing: closing)
    } catch {
      throw .writeFailed(path: path, code: error.code)
    }
  }

  static let keptName = "log"

  /// A crash leaves the file to the next start.
  private func keep() {
    ProcessRestart.keep(descriptor, as: Self.keptName)
    ProcessRestart.keep(path, as: .logPath)
    ProcessRestart.keep(Int64(writer.end), as: .logEnd)
  }

  deinit {
    writer.trim(closing: closing)
    if ProcessRestart.isKept(descriptor, as: Self.keptName) { ProcessRestart.forget(Self.keptName) }
    // Every append has reported its own failure; the lock goes with the descriptor.
    SystemCalls.discard(descriptor)
  }

  /// Bytes of the file, including the blanks at its end.
  var size: Int { writer.size(with: closing) }

  /// The end of the file's text: entries that are appended to it are in the file after the next `flush`.
  var text: JSONWriter {
    _read { yield writer.text }
    _modify { yield &writer.text }
  }

  /// Bytes of text that are not in the file yet.
  var waiting: Int { writer.waiting }

  /// Writes the text that waits, and the new closing brackets, in one piece. On failure the file stays as it was.
  ///
  /// - Parameter retries: asked after each failure. If it does not want another attempt, the text is dropped.
  mutating func flush(closing: [UInt8], retries: (RecorderError) -> Bool = { _ in false }) throws(RecorderError) {
    while true {
      do throws(RecorderError) {
        return try write(closing: closing)
      } catch {
        guard retries(error) else {
          writer.drop()
          throw error
        }
      }
    }
  }

  private mutating func write(closing: [UInt8]) throws(RecorderError) {
    guard try isPresent() else { throw .removed(path: path) }
    do throws(SystemCallError) {
      try writer.write(closing: closing)
    } catch {
      writer.restore(closing: self.closing)
      throw .writeFailed(path: path, code: error.code)
    }
    self.closing = closing
    ProcessRestart.keep(Int64(writer.end), as: .logEnd)
  }

  /// Syncs the written data to the disk.
  func synchronize() throws(RecorderError) {
    do throws(SystemCallError) {
      try SystemCalls.synchronize(descriptor, withStatus: false)
    } catch {
      throw .writeFailed(path: path, code: error.code)
    }
  }

  /// The file, if nothing is added to it any more.
  func finished(entryCount: UInt64) -> FinishedFile {
    FinishedFile(path: path, textEnd: writer.end, entryCount: entryCount)
  }

  /// The source for a copy of the file.
  ///
  /// - Parameter finished: the files of the capture before this one.
  func snapshotSource(
    entryCount: UInt64, tail: SnapshotSource.Tail, after finished: [FinishedFile]
  ) throws(RecorderError) -> SnapshotSource {
    try SnapshotSource(
      of: path, after: finished, descriptor: descriptor, textEnd: writer.end, entryCount: entryCount, tail: tail)
  }

  /// Whether the file still has a name: without a name, nobody can ever read the data.
  private func isPresent() throws(RecorderError) -> Bool {
    do throws(SystemCallError) {
      return try SystemCalls.status(of: descriptor).linkCount > 0
    } catch {
      throw .writeFailed(path: path, code: error.code)
    }
  }
}

extension HARFile {
  /// Opens an empty file, creates it if necessary, and locks it.
  ///
  /// - Parameter replaces: whether the file may have content, which is deleted as soon as the file is locked.
  static func create(_ path: String, replacing replaces: Bool) throws(RecorderError) -> Int32 {
    let descriptor: Int32
    do throws(PrivateFileError) {
      descriptor = try PrivateFile.open(path, flags: .readWrite, existing: replaces ? .anything : .empty)
    } catch .exists {
      throw isLocked(path) ? .locked(path: path) : .fileExists(path: path)
    } catch {
      throw RecorderError(error, path: path)
    }
    do throws(SystemCallError) {
      if try SystemCalls.tryLock(descriptor, .exclusive) {
        if replaces { try SystemCalls.truncate(descriptor, to: 0) }
        IndexFile.remove(beside: path)
        return descriptor
      }
    } catch {
      SystemCalls.discard(descriptor)
      throw .cannotCreate(path: path, code: error.code)
    }
    SystemCalls.discard(descriptor)
    throw .locked(path: path)
  }

  /// Whether a recorder is writing to the file.
  private static func isLocked(_ path: String) -> Bool {
    do throws(SystemCallError) {
      let descriptor = try SystemCalls.open(path, [.noFollow, .nonBlocking])
      defer { SystemCalls.discard(descriptor) }
      return try !SystemCalls.tryLock(descriptor, .exclusive)
    } catch {
      return false
    }
  }
}

/// The end of a file after the last entry: data that is known only then, and the brackets.
struct FileClosing {
  /// The pages as JSON, separated by commas.
  var pages: [UInt8]
  var missing: MissingCounts
  var bypassed: [BypassedConnections] = []
  var network: RecordedNetwork?

  var bytes: [UInt8] {
    var bytes = Array("\n],\"pages\":[".utf8)
    bytes += pages
    bytes += "]".utf8
    if missing != MissingCounts() { bytes += "\(HARMember.dropped.opening)\(missing.json)".utf8 }
    if !bypassed.isEmpty { bytes += BypassedConnections.member(bypassed) }
    if let network { bytes += network.member }
    bytes += "}}".utf8
    return bytes
  }
}

/// Connections that a program of the recorded command made to an address by itself, so that the log has nothing of them.
package struct BypassedConnections: Hashable, Sendable {
  let program: String
  /// With its port.
  let address: String
  let count: Int

  package init(program: String, address: String, count: Int) {
    self.program = program
    self.address = address
    self.count = count
  }

  func renamed(_ program: String) -> BypassedConnections {
    BypassedConnections(program: program, address: address, count: count)
  }

  fileprivate static func member(_ connections: [BypassedConnections]) -> [UInt8] {
    var writer = JSONWriter()
    writer.append(member: .bypassed)
    for (index, connection) in connections.enumerated() {
      writer.append(json: index == 0 ? #"[{"program":"# : #",{"program":"#)
      writer.append(string: connection.program)
      writer.append(json: #","address":"#)
      writer.append(string: connection.address)
      writer.append(json: #","count":"#)
      writer.append(integer: UInt64(connection.count))
      writer.append(byte: UInt8(ascii: "}"))
    }
    writer.append(byte: UInt8(ascii: "]"))
    return writer.bytes
  }
}

/// Counts what is missing from a file although it was exchanged.
struct MissingCounts: Equatable {
  /// Exchanges recorded without their bodies, because the recorder could not keep up.
  var bodies: UInt64 = 0
  /// Exchanges not recorded, because the recorder could not keep up.
  var exchanges: UInt64 = 0
  /// Exchanges not recorded, because writing failed.
  var unwritten: UInt64 = 0

  static func += (left: inout MissingCounts, right: MissingCounts) {
    left.bodies += right.bodies
    left.exchanges += right.exchanges
    left.unwritten += right.unwritten
  }

  var json: String {
    "{\"bodies\":\(bodies),\"exchanges\":\(exchanges),\"unwritten\":\(unwritten)}"
  }
}
