import Dispatch
import Synchronization
import TapelineHAR
import TapelineTestSupport
import Testing

@testable import TapelineRecorder

/// The filter, which runs on the recorder's thread, stands in for a disk that stops: the thread waits until the test lets it go.
struct RecorderStallTests {
  private let directory: TemporaryDirectory
  private let stall = DispatchSemaphore(value: 0)
  private var configuration: RecorderConfiguration

  init() throws {
    directory = try TemporaryDirectory()
    configuration = .example(in: directory)
    let isFirst = Mutex(true)
    configuration.keeps = { [stall] _, _, _ in
      let waits = isFirst.withLock { isFirst in
        defer { isFirst = false }
        return isFirst
      }
      if waits { stall.wait() }
      return true
    }
  }

  private func log() throws -> HARLog { try HARLog(json: readFile(configuration.path)) }

  private func ids(_ log: HARLog) -> [Int] { log.entries.compactMap { $0.custom["_exchangeId"]?.integer } }

  @Test func whatFitsIntoTheQueueIsInTheLogInOrder() throws {
    let recorder = try Recorder(configuration: configuration)
    let inlet = recorder.inlet()
    for id in 1...1_500 { inlet.handOn(try ExampleExchange.make(id: UInt64(id))) }
    #expect(recorder.backlog.bytes > 2 << 20)
    stall.signal()
    let summary = recorder.finish()
    #expect(summary.exchanges == 1_500 && summary.droppedRecords == 0 && summary.droppedBodies == 0)
    #expect(ids(try log()) == Array(1...1_500))
  }

  @Test func whatDoesNotFitIsCountedToTheLast() throws {
    var tests = self
    tests.configuration.queueLimit = 64 << 10
    let recorder = try Recorder(configuration: tests.configuration)
    let inlet = recorder.inlet()
    for id in 1...500 { inlet.handOn(try ExampleExchange.make(id: UInt64(id))) }
    #expect(recorder.backlog.droppedRecords > 0)
    #expect(recorder.backlog.bytes < 128 << 10)
    stall.signal()
    let summary = recorder.finish()
    let log = try log()
    #expect(summary.droppedRecords > 0 && log.entries.count + Int(summary.droppedRecords) == 500)
    #expect(log.custom["_dropped"]?["exchanges"]?.integer == Int(summary.droppedRecords))
  }

  @Test func aRecorderThatIsWaitedForTellsWhenItHasCaughtUp() throws {
    var tests = self
    tests.configuration.queueLimit = 64 << 10
    tests.configuration.overload = .wait(patience: .seconds(30))
    let recorder = try Recorder(configuration: tests.configuration)
    let inlet = recorder.inlet()
    for id in 1...500 { inlet.handOn(try ExampleExchange.make(id: UInt64(id))) }
    #expect(inlet.lagsBehind && recorder.backlog.holdsBack)
    let caughtUp = DispatchSemaphore(value: 0)
    inlet.awaitRoom { caughtUp.signal() }
    stall.signal()
    caughtUp.wait()
    #expect(!inlet.lagsBehind)
    let summary = recorder.finish()
    #expect(summary.exchanges == 500 && summary.droppedRecords == 0)
    #expect(ids(try log()) == Array(1...500))
  }

  @Test func aThreadWithOtherWorkNeedNotWaitForItsLook() throws {
    let recorder = try Recorder(configuration: configuration)
    recorder.record(try ExampleExchange.make())
    let look = try recorder.requestSource()
    let early = try look.answer(within: .zero) == nil
    #expect(early)
    stall.signal()
    let entries = try look.answer(within: .seconds(600))?.entryCount
    #expect(entries == 1)
    _ = recorder.finish()
  }
}
