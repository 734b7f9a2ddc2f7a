import Dispatch
import Synchronization
import TapelineCore
import TapelineHAR
import TapelineHTTP
import TapelineSystem
import TapelineTestSupport
import TapelineTime
import Testing

@testable import TapelineRecorder

struct RecorderTests {
  private let directory: TemporaryDirectory
  private var configuration: RecorderConfiguration

  init() throws {
    directory = try TemporaryDirectory()
    configuration = .example(in: directory)
  }

  @Test func recordsWhatItIsGiven() throws {
    let recorder = try Recorder(configuration: configuration)
    for id in 1...100 { recorder.record(try ExampleExchange.make(id: UInt64(id))) }
    recorder.record(try ExampleExchange.refused())
    recorder.record(try ExampleExchange.tunnel())
    let summary = recorder.finish()
    #expect(summary.exchanges == 102)
    #expect(summary.failures == 1)
    #expect(summary.bytesToClient == 500 + 56_789)
    #expect(summary.bytesToServer == 1_234)
    #expect(summary.files == [configuration.path])
    #expect(summary.writeError == nil)
    let p50 = try #require(summary.p50Microseconds)
    #expect(abs(p50 - 4_040) <= 40)
    let log = try HARLog(json: readFile(configuration.path))
    #expect(log.entries.count == 102)
    #expect(log.entries.allSatisfy { $0.pageref == log.pages.first?.id })
    #expect(log.entries[7].custom["_exchangeId"] == 8)
  }

  @Test func finishingTwiceIsTheSame() throws {
    let recorder = try Recorder(configuration: configuration)
    recorder.record(try ExampleExchange.make())
    let summary = recorder.finish()
    recorder.record(try ExampleExchange.make())
    #expect(recorder.finish() == summary)
    #expect(try HARLog(json: readFile(configuration.path)).entries.count == 1)
  }

  @Test func takesFromManyThreads() throws {
    let recorder = try Recorder(configuration: configuration)
    let record = try ExampleExchange.make(responseBody: ExampleExchange.body(String(repeating: "line\n", count: 500)))
    DispatchQueue.concurrentPerform(iterations: 3) { _ in
      for _ in 0..<300 { recorder.record(record) }
    }
    #expect(recorder.finish().exchanges == 900)
    #expect(try HARLog(json: readFile(configuration.path)).entries.count == 900)
  }

  @Test func rotatesBetweenExchanges() throws {
    let recorder = try Recorder(configuration: configuration)
    recorder.record(try ExampleExchange.make(id: 1))
    recorder.rotate()
    recorder.record(try ExampleExchange.make(id: 2))
    let summary = recorder.finish()
    #expect(summary.files == [configuration.path, directory.path("a-001.har")])
    for (index, path) in summary.files.enumerated() {
      let entries = try HARLog(json: readFile(path)).entries
      #expect(entries.map { $0.custom["_exchangeId"]?.integer } == [index + 1])
    }
  }

  @Test func aRemovedFileIsReportedOnceAndCounted() throws {
    let errors = Mutex<[RecorderError]>([])
    let configuration = reporting { error in errors.withLock { $0.append(error) } }
    let recorder = try Recorder(configuration: configuration)
    try SystemCalls.remove(configuration.path)
    for _ in 0..<3 { recorder.record(try ExampleExchange.make()) }
    let summary = recorder.finish()
    #expect(summary.lostRecords == 3)
    #expect(summary.writeError == .removed(path: configuration.path))
    #expect(errors.withLock { $0 } == [.removed(path: configuration.path)])
  }

  @Test func pagesGroupTheEntries() throws {
    var configuration = configuration
    configuration.anchor = .read()
    let recorder = try Recorder(configuration: configuration)
    recorder.record(try exchange(id: 1, at: .now))
    #expect(recorder.beginPage(title: "second -u a:s3cr3t") == "page_2")
    recorder.record(try exchange(id: 2, at: .now))
    #expect(recorder.beginPage(title: "third") == "page_3")
    recorder.rotate()
    recorder.record(try exchange(id: 3, at: .now))
    let summary = recorder.finish()
    let first = try HARLog(json: readFile(summary.files[0]))
    #expect(first.entries.map(\.pageref) == ["page_1", "page_2"])
    #expect(first.pages.map(\.id) == ["page_1", "page_2", "page_3"])
    #expect(first.pages[1].title.hasPrefix("second -u a:SENSITIVE_"))
    let second = try HARLog(json: readFile(summary.files[1]))
    #expect(second.pages.map(\.title) == ["third"])
    #expect(second.entries.map(\.pageref) == ["page_3"])
  }

  private func exchange(id: UInt64, at instant: MonotonicInstant) throws -> ExchangeRecord {
    var marks = TimelineMarks()
    marks.stamp(.requestFirstByte, at: instant)
    return try ExampleExchange.make(id: id, marks: marks)
  }

  @Test func showsWhereItIs() throws {
    let recorder = try Recorder(configuration: configuration)
    #expect(recorder.counters.file == configuration.path)
    #expect(recorder.counters.exchanges == 0)
    recorder.record(try ExampleExchange.make())
    recorder.record(try ExampleExchange.refused())
    _ = recorder.beginPage(title: "x")
    _ = try recorder.snapshot(to: directory.path("copy.har"))
    _ = recorder.finish()
    let counters = recorder.counters
    #expect(counters.exchanges == 2)
    #expect(counters.failures == 1)
    #expect(counters.fileEntries == 2)
    #expect(counters.page == "page_2")
    #expect(counters.files == 1)
    #expect(counters.fileSize > 1_000)
    #expect(counters.writeError == nil)
  }

  @Test(arguments: [SyncPolicy.eachWrite, .interval(.milliseconds(1)), .never])
  func everySyncPolicyWrites(policy: SyncPolicy) throws {
    var configuration = configuration
    configuration.sync = policy
    let recorder = try Recorder(configuration: configuration)
    for id in 1...20 {
      recorder.record(try ExampleExchange.make(id: UInt64(id)))
      if id % 5 == 0 { _ = try recorder.snapshot(to: directory.path("copy.har")) }
    }
    #expect(recorder.finish().exchanges == 20)
    #expect(try HARLog(json: readFile(configuration.path)).entries.count == 20)
  }

  @Test func rotatesByTimeWhenThereIsSomething() throws {
    var configuration = configuration
    configuration.rotationInterval = .milliseconds(20)
    let recorder = try Recorder(configuration: configuration)
    recorder.record(try ExampleExchange.make(id: 1))
    let deadline = Deadline.after(seconds: 20)
    while recorder.counters.files < 2, !deadline.hasPassed { _ = try recorder.snapshot(to: directory.path("copy.har")) }
    let summary = recorder.finish()
    // A file without entries is not closed for the time.
    #expect(summary.files.count == 2)
    #expect(try HARLog(json: readFile(summary.files[0])).entries.count == 1)
    #expect(try HARLog(json: readFile(summary.files[1])).entries.isEmpty)
  }

  @Test func aFileThatWasRemovedIsFollowedByTheNext() throws {
    let recorder = try Recorder(configuration: configuration)
    try SystemCalls.remove(configuration.path)
    recorder.record(try ExampleExchange.make(id: 1))
    recorder.rotate()
    recorder.record(try ExampleExchange.make(id: 2))
    let summary = recorder.finish()
    #expect(summary.lostRecords == 1)
    #expect(try HARLog(json: readFile(summary.files[1])).entries.count == 1)
  }

  private func reporting(_ report: @escaping @Sendable (RecorderError) -> Void) -> RecorderConfiguration {
    var configuration = configuration
    configuration.onError = report
    return configuration
  }

  @Test func theDebugLogHasNoSecrets() throws {
    var configuration = configuration
    configuration.debugLog = .file(directory.path("debug.log"))
    let recorder = try Recorder(configuration: configuration)
    recorder.record(try ExampleExchange.make(url: "http://a/?token=s3cr3t", fields: [("Host", "a"), ("Cookie", "s=s3cr3t")]))
    recorder.record(try ExampleExchange.refused())
    _ = recorder.finish()
    let text = try readText(directory.path("debug.log"))
    #expect(!text.contains("s3cr3t"))
    #expect(text.hasPrefix("[Request]: GET http://a/?token=SENSITIVE_"))
    #expect(text.components(of: "[Timeline]: Timeline: { ") == 2)
    #expect(text.hasSuffix(" secs }\n\n"))
  }

  @Test func whatIsThereIsNotOverwritten() throws {
    try directory.write("x", to: "a.har")
    #expect(throws: RecorderError.fileExists(path: configuration.path)) { try Recorder(configuration: configuration) }
    #expect(RecorderError.fileExists(path: "a").description.contains("it exists already; name another file"))
  }

  /// The schema and the rules that it cannot say, by a validator that is not ours, where it is installed.
  @Test(.enabled(if: SchemaValidator.isAvailable))
  func theSchemaAccepts() throws {
    let recorder = try Recorder(configuration: configuration)
    recorder.record(try ExampleExchange.make())
    recorder.record(try ExampleExchange.refused())
    recorder.record(try ExampleExchange.tunnel())
    recorder.record(
      try ExampleExchange.make(
        method: .post, url: "http://u:p@example.com/a%20b?x[]=1|2&y=%",
        fields: [
          ("Host", "example.com"), ("Cookie", "a=1; b"), ("Content-Type", "application/x-www-form-urlencoded"),
        ],
        requestBody: ExampleExchange.body("a=1&password=2"),
        responseFields: [("Set-Cookie", "a=1; Expires=Wed, 04 Mar 2026 05:06:07 GMT"), ("Location", "/x")],
        responseBody: ExampleExchange.body([0, 1, 2])))
    var broken = try ExampleExchange.refused()
    broken.request = nil
    recorder.record(broken)
    _ = recorder.finish()
    #expect(try SchemaValidator.complaints(about: configuration.path) == "")
  }
}

extension String {
  fileprivate func components(of part: String) -> Int {
    ranges(of: part).count
  }
}
