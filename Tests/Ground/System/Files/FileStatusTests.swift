import Glibc
import TapelineSystem
import TapelineTestSupport
import Testing

@Suite("File status")
struct FileStatusTests {
  @Test("A file is known by its kind, size, mode and names")
  func files() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("abc", to: "file", mode: 0o640)
    try SystemCalls.link(path, as: directory.path("other"))
    let status = try SystemCalls.status(of: path)
    #expect(status.kind == .regular && status.size == 3 && status.permissions == 0o640 && status.linkCount == 2)
    #expect(status.owner == geteuid() && status.isOpenToOthers)
    #expect(abs(status.modified - SystemClock.unixNanoseconds / 1_000_000_000) < 60)
    #expect(status.isSameFile(as: try SystemCalls.status(of: directory.path("other"))))
    #expect(try !status.isSameFile(as: SystemCalls.status(of: directory.path)))
  }

  @Test("A link is one, unless it is followed")
  func links() throws {
    let directory = try TemporaryDirectory()
    #expect(unsafe symlink("/dev/null", directory.path("link")) == 0)
    #expect(try SystemCalls.status(of: directory.path("link")).kind == .characterDevice)
    #expect(try SystemCalls.status(of: directory.path("link"), followsLinks: false).kind == .link)
    #expect(SystemCalls.statusIfPresent(of: directory.path("none")) == nil)
    #expect(try SystemCalls.realPath(of: directory.path("link")) == "/dev/null")
  }

  @Test("What somebody has locked is not ours to lock; who only looks shares")
  func locks() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("", to: "file")
    let (one, other) = (try SystemCalls.open(path), try SystemCalls.open(path))
    #expect(try SystemCalls.tryLock(one, .shared))
    #expect(try SystemCalls.tryLock(other, .shared))
    #expect(try !SystemCalls.tryLock(other, .exclusive))
    SystemCalls.discard(one)
    #expect(try SystemCalls.tryLock(other, .exclusive))
    SystemCalls.discard(other)
  }
}
