import TapelineCore
import TapelineHAR
import TapelineTestSupport
import TapelineTime
import Testing

@testable import TapelineRecorder

/// Exchanges that have not ended, in a copy of the log.
struct InFlightTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func recorder(_ configure: (inout RecorderConfiguration) -> Void = { _ in }) throws -> Recorder {
    var configuration = RecorderConfiguration.example(in: directory)
    configure(&configuration)
    return try Recorder(configuration: configuration)
  }

  private static func microseconds(_ count: Int64) -> MonotonicInstant {
    ExampleExchange.anchor.instant.advanced(byNanoseconds: count * 1_000)
  }

  /// What has come of a response 2 ms after its first byte, or before it.
  private static func underWay(
    id: UInt64 = 7, type: String = "text/plain", _ body: String? = "hel", url: String = "http://example.com/index.html"
  ) throws -> ExchangeRecord {
    let known: [(TimelineMark, Int64)] = [
      (.accepted, -50), (.requestFirstByte, 0), (.requestHeadEnd, 10), (.requestLastByte, 10), (.queued, 15), (.dnsStart, 20),
      (.dnsEnd, 520), (.connectStart, 530), (.connectEnd, 1_030), (.sentFirst, 1_040), (.sentLast, 1_050),
    ]
    let answered: [(TimelineMark, Int64)] = [(.responseFirstByte, 3_050), (.responseHeadEnd, 3_051), (.responseLastByte, 4_050)]
    var record = try ExampleExchange.make(
      id: id, url: url, responseFields: [("Content-Type", type), ("Content-Length", "500")],
      responseBody: ExampleExchange.body(body ?? ""), marks: ExampleExchange.marks(known + (body == nil ? [] : answered)))
    if body == nil { record.response = nil }
    record.inFlightAt = microseconds(5_050)
    return record
  }

  /// The copy, which must be a HAR by the schema, and the last of its entries.
  private func copy(_ recorder: Recorder, _ inFlight: [ExchangeRecord]) throws -> (log: HARLog, entry: HAREntry?) {
    let path = directory.path("copy.har")
    let snapshot = try recorder.snapshot(to: path) { inFlight }
    let bytes = try readFile(path)
    #expect(bytes.count == snapshot.size)
    if SchemaValidator.isAvailable { #expect(try SchemaValidator.complaints(about: path) == "") }
    let log = try HARLog(json: bytes)
    #expect(log.entries.count == Int(snapshot.entries))
    return (log, log.entries.last)
  }

  @Test("It is marked, with its times up to then, and without what only an end can tell")
  func entry() throws {
    let recorder = try recorder { $0.includesDebug = true }
    recorder.record(try ExampleExchange.make(id: 1))
    let (log, found) = try copy(recorder, [try Self.underWay()])
    let entry = try #require(found)
    #expect(log.entries.count == 2)
    #expect(log.entries.first?.custom["_inFlight"] == nil)
    #expect(entry.custom["_inFlight"] == true)
    #expect(entry.response.status == 200)
    #expect(entry.response.bodySize == 3)
    #expect(entry.timings.wait == 2)
    #expect(entry.timings.receive == 2, "up to the copy")
    #expect(entry.time == 5.04)
    for absent in ["_timeline", "_debug", "_error", "_ended"] { #expect(entry.custom[absent] == nil, "\(absent)") }
    #expect(entry.custom["_events"]?["deliveredLast"] == nil)
    #expect(entry.custom["_events"]?["failed"] == nil)
    // The file itself has only what has ended.
    _ = recorder.finish()
    #expect(try HARLog(json: try readFile(directory.path("a.har"))).entries.count == 1)
  }

  @Test("Before the response there is none, and the wait lasts up to then; it may be the only entry")
  func waiting() throws {
    let recorder = try recorder()
    let entry = try #require(try copy(recorder, [try Self.underWay(nil)]).entry)
    #expect(entry.custom["_inFlight"] == true)
    #expect(entry.response.status == 0)
    #expect(entry.response.bodySize == -1)
    #expect(entry.timings.wait == 4)
    #expect(entry.timings.receive == 0)
    _ = recorder.finish()
  }

  @Test("What ends while it is asked for is in the copy once, as it ended")
  func endsMeanwhile() throws {
    let recorder = try recorder()
    let path = directory.path("copy.har")
    let snapshot = try recorder.snapshot(to: path) {
      do {
        let records = [try Self.underWay(id: 7), try Self.underWay(id: 8)]
        recorder.record(try ExampleExchange.make(id: 7))
        return records
      } catch {
        return []
      }
    }
    #expect(snapshot.entries == 2)
    #expect(snapshot.inFlight == 1)
    let entries = try HARLog(json: try readFile(path)).entries
    #expect(entries.map { $0.custom["_exchangeId"]?.integer } == [7, 8])
    #expect(entries.map { $0.custom["_inFlight"] } == [nil, true])
    _ = recorder.finish()
  }

  @Test("Secrets are replaced, and a word that may be the beginning of one is left out")
  func secrets() throws {
    let recorder = try recorder()
    let cases: [(type: String, text: String, kept: String)] = [
      ("text/plain", "the key is ghp_0123456789abc", "the key is "),
      ("application/json", #"{"a":1,"password":"hunter2 and"#, #"{"a":1,"password":""#),
      ("text/plain", "plain text, cut at the end", "plain text, cut at the "), ("text/plain", "zażółć gęś", "zażółć "),
    ]
    for (type, text, kept) in cases {
      let record = try Self.underWay(type: type, text, url: "http://example.com/?token=querysecret")
      let entry = try #require(try copy(recorder, [record]).entry)
      let found = entry.response.content.text ?? ""
      #expect(found.hasPrefix(kept), "\(found)")
      for secret in ["ghp_0", "hunter2", "querysecret"] { #expect(!found.contains(secret)) }
      #expect(!entry.request.url.contains("querysecret"))
      #expect(entry.response.content.size == text.utf8.count)
    }
    _ = recorder.finish()
  }

  @Test("A body that grows makes no file, and the filter decides about what there is")
  func directoryAndFilter() throws {
    let recorder = try recorder {
      $0.bodiesDirectory = directory.path("bodies")
      $0.keeps = { bytes, number, page in
        (try? HAREntry(json: bytes).request.url.hasSuffix("/kept")) == true && number == 1 && !page.isEmpty
      }
    }
    let records = [try Self.underWay("some text"), try Self.underWay(id: 8, "some text", url: "http://example.com/kept")]
    let (log, entry) = try copy(recorder, records)
    #expect(log.entries.count == 1)
    #expect(entry?.request.url == "http://example.com/kept")
    #expect(entry?.response.content.text == "some ")
    #expect(entry?.response.content.custom["_file"] == nil)
    let files = try TestProcess("find", [directory.path("bodies"), "-type", "f"])
    try files.wait()
    #expect(files.outputText.isEmpty)
    _ = recorder.finish()
  }

  @Test("A page that only it belongs to is listed in the copy")
  func pages() throws {
    let recorder = try recorder()
    let began = MonotonicInstant.now
    _ = recorder.beginPage(title: "second")
    recorder.rotate()
    var record = try Self.underWay()
    record.marks = TimelineMarks()
    record.marks.stamp(.requestFirstByte, at: began)
    let (log, entry) = try copy(recorder, [record])
    #expect(log.pages.map(\.title) == ["t", "second"])
    #expect(entry?.pageref == log.pages.first?.id)
    _ = recorder.finish()
    #expect(try HARLog(json: try readFile(directory.path("a-001.har"))).pages.map(\.title) == ["second"])
  }
}
