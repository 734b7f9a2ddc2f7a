import TapelineTestSupport

/// A file of its own for each test, removed with it.
final class TemporaryFile {
  private let directory: TemporaryDirectory
  let path: String

  init(_ bytes: [UInt8]) throws {
    directory = try TemporaryDirectory()
    path = try directory.write(bytes, to: "in.har")
  }

  convenience init(_ text: String) throws {
    try self.init(Array(text.utf8))
  }
}
