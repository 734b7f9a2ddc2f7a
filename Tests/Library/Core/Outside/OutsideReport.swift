import FoundationEssentials
import TapelineTestSupport
import Testing

/// Where a process of a test's own says what it has lost.
struct OutsideReport {
  private let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("report")
  }

  /// Tells what the process has said.
  func complain() {
    if let text = try? String(contentsOfFile: path, encoding: .utf8) { Issue.record("\(text)") }
  }
}
