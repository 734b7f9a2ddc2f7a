internal import TapelineHAR
internal import TapelineInspect

/// A log named on the command line, as bytes, and its errors as the program reports them.
struct LogFile: ~Copyable {
  private let name: String
  private let expectation: InputFile.Expectation
  private var file: InputFile
  /// The fault in the compressed data, if a damaged log is expected: the log is read up to the fault.
  private(set) var damage: String?

  /// Begins at the start of a source that `CaptureFile.source` has opened.
  init(_ source: InputSource, expecting expectation: InputFile.Expectation = .har) {
    name = source.name
    self.expectation = expectation
    file = InputFile(source, expecting: expectation)
  }

  /// How much of the file has been read, from 0 to 1; `nil` if its length is unknown.
  var progress: Double? { file.progress }

  /// Whether the file is compressed. Valid once something has been read.
  var isCompressed: Bool { file.compression != nil }

  /// The bytes of the piece that the last `read` has read.
  var pieceSize: Int { file.withPiece { $0.count } }

  /// Refuses a small file that unpacks to one large value.
  ///
  /// - Parameter held: the bytes of the value so far.
  func checkPacking(of held: Int) throws(CommandFailure) {
    do throws(CaptureError) {
      try file.checkPacking(of: held)
    } catch {
      throw CaptureFile.failure(name, error)
    }
  }

  /// Lends the piece that the last `read` has read.
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

  /// The failure for text that cannot be read.
  func failure(_ error: HARReadError) -> CommandFailure {
    CaptureFile.failure(name, file.captureError(for: error))
  }

  /// Refuses to read standard input twice, for two captures of the same command.
  static func requireFile(_ path: String) throws(CommandFailure) {
    guard path == "-" else { return }
    throw CommandFailure(
      status: .usage, what: "standard input", why: "it is only one capture", remedy: "name a file for the other")
  }
}
