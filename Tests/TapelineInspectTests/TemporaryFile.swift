import TapelineTestSupport

/// A file of its own for each test, removed with it.
final class TemporaryFile {
  private let directory: TemporaryDirectory
  let path: String

  init(_ octets: [UInt8]) throws {
    directory = try TemporaryDirectory()
    path = try directory.write(octets, to: "in.har")
  }

  convenience init(_ text: String) throws {
    try self.init(Array(text.utf8))
  }
}
