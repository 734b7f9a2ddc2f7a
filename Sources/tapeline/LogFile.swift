internal import TapelineHAR
internal import TapelineInspect

/// A log named on the command line, as octets, and its errors as the program says them.
struct LogFile: ~Copyable {
  let path: String
  private var file: InputFile

  init(path: String) throws(CommandFailure) {
    self.path = path
    do throws(CaptureError) {
      file = try InputFile(path: path)
    } catch {
      throw CaptureFile.failure(path, error)
    }
  }

  /// Gives all of it away, piece after piece.
  mutating func forEachPiece(_ take: (Span<UInt8>) throws(CommandFailure) -> Void) throws(CommandFailure) {
    while try hasNext() {
      try file.withPiece(take)
    }
  }

  private mutating func hasNext() throws(CommandFailure) -> Bool {
    do throws(CaptureError) {
      return try file.read()
    } catch {
      throw CaptureFile.failure(path, error)
    }
  }

  /// Refuses standard input for what must read twice.
  static func requireFile(_ path: String) throws(CommandFailure) {
    guard path == "-" else { return }
    throw CommandFailure(
      status: .usage, what: "standard input", why: "it cannot be read twice, as this must", remedy: "name a file")
  }
}
