import TapelineOffline
import TapelineSystem
import TapelineTestSupport
import Testing

@testable import TapelineLive

@Suite("Control listener")
struct ControlListenerTests {
  @Test("The first place that can be used is")
  func places() throws {
    let parent = try TemporaryDirectory()
    let long = ControlDirectory(path: parent.path(String(repeating: "a", count: 100)))
    let missing = ControlDirectory(path: parent.path("missing/tapeline"))
    let good = ControlDirectory(path: parent.path("good"))
    let listener = try ControlListener.open(in: [missing, long, good])
    #expect(listener.path.hasPrefix("\(good.path)/\(CurrentProcess.id)-"))
    #expect(listener.path.hasSuffix(".sock"))
    #expect(Directory.namesIfReadable(in: long.path).isEmpty)
  }

  @Test("Without a place there is a reason")
  func nowhere() {
    let missing = ControlDirectory(path: "/tapeline-no-such-directory/tapeline")
    let failure = #expect(throws: CommandFailure.self) { try ControlListener.open(in: [missing]) }
    #expect(failure?.status == .unavailable)
    #expect(throws: CommandFailure.self) { try ControlListener.open(in: []) }
  }

  @Test("Its name goes with it")
  func removal() throws {
    let parent = try TemporaryDirectory()
    let directory = ControlDirectory(path: parent.path("control"))
    do {
      let listener = try ControlListener.open(in: [directory])
      #expect(Directory.namesIfReadable(in: directory.path).count == 1)
      withExtendedLifetime(listener) {}
    }
    #expect(Directory.namesIfReadable(in: directory.path).isEmpty)
  }
}
