internal import TapelineHAR
internal import TapelineInspect

/// A log named on the command line, as bytes, and its errors as the program says them.
struct LogFile: ~Copyable {
  private let name: String
  private let expectation: InputFile.Expectation
  private var file: InputFile
  /// What is wrong with the compressed data, where a damaged log is expected: it is read up to there.
  private(set) var damage: String?

  /// Begins at the start of what `CaptureFile.source` has opened.
  init(_ source: InputSource, expecting expectation: InputFile.Expectation = .har) {
    name = source.name
    self.expectation = expectation
    file = InputFile(source, expecting: expectation)
  }

  /// How much of the file has been read, from 0 to 1; `nil` when nobody knows how long it is.
  var progress: Double? { file.progress }

  /// Whether the file, of which something has been read, is compressed.
  var isCompressed: Bool { file.compression != nil }

  /// Lends what the last `read` has read.
  func withPiece<Failure: Error>(_ take: (Span<UInt8>) throws(Failure) -> Void) throws(Failure) {
    try file.withPiece(take)
  }

  /// Reads the next piece; `false` at the end.
  mutating func read() throws(CommandFailure) -> Bool {
    do throws(CaptureError) {
      return try file.read()
    } catch {
      guard expectation == .damagedHAR, case .undecodable = error else { throw CaptureFile.failure(name, error) }
      damage = error.description
      return false
    }
  }

  /// What is said of a text that cannot be read.
  func failure(_ error: HARReadError) -> CommandFailure {
    CaptureFile.failure(name, file.captureError(for: error))
  }

  /// Refuses to read standard input twice, as it would be for two of the captures that a command is given.
  static func requireFile(_ path: String) throws(CommandFailure) {
    guard path == "-" else { return }
    throw CommandFailure(
      status: .usage, what: "standard input", why: "it is only one capture", remedy: "name a file for the other")
  }
}
