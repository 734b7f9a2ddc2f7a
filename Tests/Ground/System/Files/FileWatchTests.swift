import TapelineSystem
import TapelineTestSupport
import Testing

@Suite("File watch")
struct FileWatchTests {
  @Test("News are that the file was written and closed, and that others have appeared beside it")
  func news() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("", to: "file")
    var watch = try FileWatch(directory: directory.path)
    try watch.watch(path)
    let before = try watch.wait(milliseconds: 0)
    #expect(!before.isClosed && before.names.isEmpty)
    try directory.write("more", to: "file")
    try directory.write("", to: "other")
    let after = try watch.wait(milliseconds: 10_000)
    #expect(after.isClosed && after.names == ["other"])
  }
}
