import Synchronization
import TapelineCore
import TapelineHAR
import TapelineTestSupport
import TapelineTime
import Testing

@testable import TapelineRecorder

struct RecorderFilterTests {
  private let directory: TemporaryDirectory
  private var configuration: RecorderConfiguration

  init() throws {
    directory = try TemporaryDirectory()
    configuration = .example(in: directory)
  }

  private func entries(_ path: String) throws -> [HAREntry] {
    try HARLog(json: readFile(path)).entries
  }

  @Test func keepsWhatIsWanted() throws {
    var configuration = configuration
    let numbers = Mutex<[Int]>([])
    configuration.keeps = { bytes, number, _ in
      numbers.withLock { $0.append(number) }
      // What is shown is one whole entry.
      let id = try? HAREntry(json: bytes).custom["_exchangeId"]?.integer
      return (id ?? 0) % 3 == 0
    }
    let recorder = try Recorder(configuration: configuration)
    for id in 1...10 { recorder.record(try ExampleExchange.make(id: UInt64(id))) }
    let summary = recorder.finish()
    #expect(summary.exchanges == 10)
    #expect(summary.filteredRecords == 7)
    #expect(summary.lostRecords == 0)
    #expect(recorder.counters.filteredRecords == 7)
    #expect(recorder.counters.fileEntries == 3)
    #expect(numbers.withLock { $0 } == Array(1...10))
    #expect(try entries(configuration.path).map { $0.custom["_exchangeId"]?.integer } == [3, 6, 9])
  }

  @Test func theFilterIsToldTheTitleOfThePage() throws {
    func exchange(_ id: UInt64) throws -> ExchangeRecord {
      var marks = TimelineMarks()
      marks.stamp(.requestFirstByte, at: .now)
      return try ExampleExchange.make(id: id, marks: marks)
    }
    var configuration = configuration
    configuration.keeps = { _, _, title in title == "second" }
    let recorder = try Recorder(configuration: configuration)
    recorder.record(try exchange(1))
    _ = recorder.beginPage(title: "second")
    recorder.record(try exchange(2))
    #expect(recorder.finish().filteredRecords == 1)
    #expect(try entries(configuration.path).map(\.pageref) == ["page_2"])
  }

  @Test func nothingWantedIsALogWithoutEntries() throws {
    var configuration = configuration
    configuration.keeps = { _, _, _ in false }
    let recorder = try Recorder(configuration: configuration)
    for id in 1...3 { recorder.record(try ExampleExchange.make(id: UInt64(id))) }
    let summary = recorder.finish()
    #expect(summary.filteredRecords == 3)
    #expect(try entries(configuration.path).isEmpty)
  }

  @Test func filesAreSplitByWhatIsKept() throws {
    var configuration = configuration
    configuration.fileSizeLimit = 64 << 10
    configuration.keeps = { _, number, _ in number % 2 == 0 }
    let recorder = try Recorder(configuration: configuration)
    let body = ExampleExchange.body(String(repeating: "line\n", count: 4_000))
    for id in 1...12 { recorder.record(try ExampleExchange.make(id: UInt64(id), responseBody: body)) }
    let summary = recorder.finish()
    let ids = try summary.files.flatMap { try entries($0).map { $0.custom["_exchangeId"]?.integer } }
    #expect(ids == [2, 4, 6, 8, 10, 12])
    #expect(summary.files.count > 1)
  }

  @Test func theDebugLogHasWhatIsKept() throws {
    var configuration = configuration
    configuration.debugLog = .file(directory.path("debug"))
    configuration.keeps = { _, number, _ in number == 2 }
    let recorder = try Recorder(configuration: configuration)
    for id in 1...3 { recorder.record(try ExampleExchange.make(id: UInt64(id))) }
    _ = recorder.finish()
    let text = try readText(directory.path("debug"))
    #expect(text.components(of: "[Timeline]") == 1)
  }
}

extension String {
  /// How often `text` occurs.
  fileprivate func components(of text: String) -> Int {
    ranges(of: text).count
  }
}
