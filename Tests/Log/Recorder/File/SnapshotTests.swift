import Glibc
import TapelineHAR
import TapelineTestSupport
import Testing

@testable import TapelineRecorder

struct SnapshotTests {
  private let directory: TemporaryDirectory
  private let recorder: Recorder

  init() throws {
    directory = try TemporaryDirectory()
    recorder = try Recorder(configuration: .example(in: directory))
  }

  @Test func whatWasHandedOverIsInIt() throws {
    for id in 1...50 { recorder.record(try ExampleExchange.make(id: UInt64(id))) }
    let path = directory.path("copy.har")
    let snapshot = try recorder.snapshot(to: path)
    #expect(snapshot.entries == 50)
    #expect(snapshot.source == directory.path("a.har"))
    let bytes = try readFile(path)
    #expect(bytes.count == snapshot.size)
    #expect(try HARLog(json: bytes).entries.count == 50)
    #expect(try fileMode(path) == 0o600)
    // Recording goes on, and the next copy replaces the first.
    recorder.record(try ExampleExchange.make(id: 51))
    #expect(try recorder.snapshot(to: path).entries == 51)
    #expect(try HARLog(json: readFile(path)).entries.count == 51)
    #expect(recorder.finish().exchanges == 51)
  }

  @Test("The source of a copy knows where the earlier files end, and their entries")
  func finishedFiles() throws {
    for count in [2, 0, 3] {
      for id in 0..<count { recorder.record(try ExampleExchange.make(id: UInt64(id))) }
      recorder.rotate()
    }
    recorder.record(try ExampleExchange.make(id: 9))
    let source = try recorder.source()
    #expect(source.finished.map(\.entryCount) == [2, 0, 3] && source.entryCount == 1)
    #expect(source.finished.map(\.path) == ["a.har", "a-001.har", "a-002.har"].map(directory.path))
    for file in source.finished {
      let text = try readFile(file.path).prefix(file.textEnd) + Array("]}}".utf8)
      #expect(try HARLog(json: Array(text)).entries.count == Int(file.entryCount))
    }
    _ = recorder.finish()
  }

  @Test func anEmptyCaptureHasACopy() throws {
    let path = directory.path("copy.har")
    #expect(try recorder.snapshot(to: path).entries == 0)
    #expect(try HARLog(json: readFile(path)).pages.count == 1)
    _ = recorder.finish()
  }

  @Test func theCaptureIsNotReplaced() throws {
    let path = directory.path("a.har")
    #expect(throws: RecorderError.fileExists(path: path)) { try recorder.snapshot(to: path) }
    #expect(unsafe symlink(path, directory.path("link")) == 0)
    #expect(throws: RecorderError.fileExists(path: directory.path("link"))) { try recorder.snapshot(to: directory.path("link")) }
    _ = recorder.finish()
  }

  @Test func aPlaceThatIsNoneIsRefused() throws {
    let path = directory.path("no/copy.har")
    #expect(throws: RecorderError.cannotCreate(path: path, code: ENOENT)) { try recorder.snapshot(to: path) }
    _ = recorder.finish()
  }

  @Test func afterTheEndThereIsNone() {
    _ = recorder.finish()
    #expect(throws: RecorderError.finished) { try recorder.snapshot(to: directory.path("copy.har")) }
  }
}
