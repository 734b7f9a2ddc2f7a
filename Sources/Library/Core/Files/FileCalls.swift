internal import Dispatch
internal import FoundationEssentials
internal import Synchronization
internal import TapelineSystem

/// The system's calls on files; every failure names its path. They block: never call them on a loop.
enum FileCalls {
  /// The file at a path, links followed.
  struct Status {
    let size: UInt64
    let isDirectory: Bool
  }

  /// The retries when descriptors are scarce, and the pause between them: ten seconds in all. Connections that end give
  /// their descriptors back.
  private static let (scarceTrials, scarcePause) = (200, Duration.milliseconds(50))

  static func open(_ path: String, _ flags: OpenFlags) throws(FileError) -> FileDescriptor {
    var trials = scarceTrials
    while true {
      do throws(SystemCallError) {
        return FileDescriptor(owning: try SystemCalls.open(path, flags))
      } catch {
        guard trials > 0, [ErrorCode.tooManyFiles, ErrorCode.tooManyFilesOfAll].contains(error.code) else {
          throw FileError(.open, path, code: error.code)
        }
        trials -= 1
        SystemThread.sleep(for: scarcePause)
      }
    }
  }

  /// Between 1 and `limit` bytes; none at the end of the file.
  static func read(upTo limit: Int, from file: borrowing FileDescriptor, _ path: String) throws(FileError) -> [UInt8] {
    let descriptor = file.rawValue
    return try failing(.read, path) { () throws(SystemCallError) in try SystemCalls.read(descriptor, upTo: limit) ?? [] }
  }

  /// All of `bytes`.
  ///
  /// - Parameter descriptor: of a file that stays open meanwhile.
  static func write(_ bytes: [UInt8], to descriptor: Int32, _ path: String) throws(FileError) {
    try failing(.write, path) { () throws(SystemCallError) in try SystemCalls.writeAll(bytes.span, to: descriptor) }
  }

  /// Closes a file; some file systems report only now that the data did not fit.
  static func close(_ file: consuming FileDescriptor, _ path: String) throws(FileError) {
    let descriptor = file.release()
    try failing(.close, path) { () throws(SystemCallError) in try SystemCalls.close(descriptor) }
  }

  /// Cuts the file after `length` bytes and puts the position there.
  static func truncate(_ file: borrowing FileDescriptor, to length: UInt64, _ path: String) throws(FileError) {
    let descriptor = file.rawValue
    try failing(.truncate, path) { () throws(SystemCallError) in
      try SystemCalls.truncate(descriptor, to: Int(clamping: length))
      try SystemCalls.seekToEnd(descriptor)
    }
  }

  static func status(of path: String) throws(FileError) -> Status {
    let status = try failing(.inspect, path) { () throws(SystemCallError) in try SystemCalls.status(of: path) }
    return Status(size: UInt64(clamping: status.size), isDirectory: status.kind == .directory)
  }

  /// Removes a file, or the link to one; returns whether there was one.
  @discardableResult
  static func remove(_ path: String) throws(FileError) -> Bool {
    do throws(SystemCallError) {
      try SystemCalls.remove(path)
      return true
    } catch {
      guard error.code == ErrorCode.notFound else { throw FileError(.remove, path, code: error.code) }
      return false
    }
  }

  /// Removes a file, the link to one, or a directory with all that is in it. Does nothing if nothing is there.
  static func removeTree(_ path: String) throws(FileError) {
    if let left = Directory.removeTree(path) { throw FileError(.remove, left.path, code: left.error.code) }
  }

  /// Makes the directory and any missing ones above it.
  static func makeDirectories(_ path: String) throws(FileError) {
    try failing(.makeDirectory, path) { () throws(SystemCallError) in try Directory.makeAll(path, mode: 0o777) }
  }

  /// Gives the file a second name, if that name is free.
  static func link(_ source: String, _ destination: String) throws(FileError) {
    try failing(.move, destination) { () throws(SystemCallError) in try SystemCalls.link(source, as: destination) }
  }

  /// Gives the file another name, and replaces a file that has that name.
  static func rename(_ source: String, _ destination: String) throws(FileError) {
    try failing(.move, destination) { () throws(SystemCallError) in try SystemCalls.rename(source, to: destination) }
  }

  /// Whether anything, a dangling link too, has this name.
  static func isTaken(_ path: String) -> Bool {
    SystemCalls.statusIfPresent(of: path, followsLinks: false) != nil
  }

  private static func failing<Result>(
    _ operation: FileError.Operation, _ path: String, _ body: () throws(SystemCallError) -> Result
  ) throws(FileError) -> Result {
    do throws(SystemCallError) {
      return try body()
    } catch {
      throw FileError(operation, path, code: error.code)
    }
  }
}

/// A queue for work on files that nobody waits for.
enum FileWork {
  static let queue = DispatchQueue(label: "tapeline.files", qos: .utility)
}

extension URL {
  /// The path of a file URL.
  var filePath: String? { isFileURL ? path : nil }

  var requiredFilePath: String {
    get throws(FileError) {
      guard let filePath else { throw FileError(.open, absoluteString, code: ErrorCode.invalidArgument) }
      return filePath
    }
  }
}

/// Reads a file from its start to its end; closed when the last reference goes.
final class FileReader: Sendable {
  private let path: String
  private let file: Mutex<FileDescriptor?>

  init(_ path: String) throws(FileError) {
    self.path = path
    file = Mutex(try FileCalls.open(path, .readOnly))
  }

  deinit {
    file.withLock { file in file.take()?.discard() }
  }

  /// Between 1 and `limit` bytes; none at the end.
  func read(upTo limit: Int) throws(FileError) -> [UInt8] {
    try file.withLock { (file) throws(FileError) -> [UInt8] in
      guard let open = file.take() else { preconditionFailure("a file was read after its end") }
      do throws(FileError) {
        let bytes = try FileCalls.read(upTo: limit, from: open, path)
        file = consume open
        return bytes
      } catch {
        file = consume open
        throw error
      }
    }
  }
}
