internal import Synchronization
internal import TapelineLoop
internal import TapelineSystem

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
