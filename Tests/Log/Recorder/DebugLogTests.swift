import TapelineSystem
import TapelineTestSupport
import Testing

@testable import TapelineRecorder

struct DebugLogTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test func appendsToItsFile() throws {
    let path = try directory.write("before\n", to: "a.log")
    var log = try DebugLog(.file(path))
    log.append("one")
    log.append("two")
    #expect(try readText(path) == "before\n")
    try log.flush()
    try log.flush()
    #expect(try readText(path) == "before\none\n\ntwo\n\n")
  }

  @Test func isForItsOwnerOnly() throws {
    let path = directory.path("new.log")
    _ = try DebugLog(.file(path))
    #expect(try fileMode(path) == 0o600)
  }

  @Test func aPlaceThatIsNoneIsRefused() {
    let path = directory.path("no/a.log")
    #expect(throws: RecorderError.cannotCreate(path: path, code: ErrorCode.notFound)) { _ = try DebugLog(.file(path)) }
  }

  @Test func whatCannotBeWrittenIsForgotten() throws {
    var log = try DebugLog(.file("/dev/full"))
    log.append("x")
    #expect(throws: RecorderError.writeFailed(path: "/dev/full", code: ErrorCode.noSpace)) { try log.flush() }
    try log.flush()
  }
}
