import TapelineHAR
import TapelineSystem
import Testing

@testable import TapelineInspect

@Suite("Merged logs")
struct CaptureMergeTests {
  private struct Full: Error {}

  private func entry(_ date: String, _ url: String, page: String?) -> HAREntry {
    var entry = HAREntry.ordinary()
    entry.startedDateTime = date
    entry.request.url = url
    entry.pageref = page
    return entry
  }

  private func page(_ id: String, _ title: String) -> HARPage {
    HARPage(startedDateTime: "2026-01-02T03:04:05Z", id: id, title: title)
  }

  private func merged(_ files: [TemporaryFile]) throws -> HARLog {
    let merge = try CaptureMerge(files.map { try InputSource.open($0.path, for: .anywhere) }, into: "merged.har")
    var bytes: [UInt8] = []
    try merge.write(creator: HARCreator(name: "tapeline", version: "1")) { (piece) throws(Never) in
      for index in piece.indices { bytes.append(piece[index]) }
    }
    let log = try HARLog(json: bytes)
    #expect(merge.entryCount == log.entries.count)
    return log
  }

  @Test("Entries by the time of their start, whatever the zone; equal times as the files were named")
  func order() throws {
    let first = HARLog(
      creator: HARCreator(name: "a", version: "1"), pages: [page("p", "A")],
      entries: [
        entry("2026-01-02T03:00:03Z", "http://a/3", page: "p"), entry("2026-01-02T03:00:01Z", "http://a/1", page: "p"),
        entry("soon", "http://a/1b", page: nil), entry("2026-01-02T04:00:02+01:00", "http://a/2", page: "p"),
      ])
    let second = HARLog(
      creator: HARCreator(name: "b", version: "2"), entries: [entry("2026-01-02T03:00:01.000Z", "http://b/1", page: nil)])
    let files = [try TemporaryFile(first.json), try TemporaryFile(second.json)]
    let log = try merged(files)
    #expect(log.entries.map(\.request.url) == ["http://a/1", "http://a/1b", "http://b/1", "http://a/2", "http://a/3"])
  }

  @Test("Pages of the same id are told apart, and entries follow theirs")
  func pages() throws {
    let logs = ["A", "B", "C"].map { name in
      HARLog(
        creator: HARCreator(name: name, version: "1"), pages: [page("page_1", name), page("only-\(name)", name)],
        entries: [
          entry("2026-01-02T03:00:00Z", "http://\(name)/", page: "page_1"),
          entry("2026-01-02T03:00:01Z", "http://\(name)/", page: "only-\(name)"),
        ])
    }
    let files = try logs.map { try TemporaryFile($0.json) }
    let log = try merged(files)
    #expect(log.pages.map(\.id) == ["page_1", "only-A", "page_1-2", "only-B", "page_1-3", "only-C"])
    let titles = Dictionary(uniqueKeysWithValues: log.pages.map { ($0.id, $0.title) })
    for entry in log.entries {
      #expect(entry.request.url == "http://\(entry.pageref.flatMap { titles[$0] } ?? "")/")
    }
    #expect(log.entries.count == 6)
  }

  @Test("It says where everything came from, and what is missing in all")
  func origins() throws {
    let browser = HARCreator(name: "Firefox", version: "1")
    let logs = [
      HARLog(
        creator: HARCreator(name: "a", version: "1"), browser: browser, comment: "first",
        custom: ["_dropped": ["bodies": 1], "_x": 1]),
      HARLog(
        creator: HARCreator(name: "b", version: "2"), browser: browser, custom: ["_dropped": ["bodies": 2, "exchanges": 3]]),
    ]
    let files = try logs.map { try TemporaryFile($0.json) }
    let log = try merged(files)
    #expect(log.creator == HARCreator(name: "tapeline", version: "1") && log.browser == browser && log.version == "1.2")
    #expect(log.comment?.hasSuffix(": first") == true)
    #expect(log.custom["_dropped"] == ["bodies": 3, "exchanges": 3])
    let origins = try #require(log.custom["_merged"]?.array)
    #expect(origins.map { $0["creator"]?["name"]?.string } == ["a", "b"] && origins[0]["_x"] == 1 && origins[0]["entries"] == 0)
  }

  @Test("Entries are copied, not understood")
  func copies() throws {
    let odd = #"{"startedDateTime":"2026-01-02T03:04:05Z","time" : 1.500,"status":"x","_y":[1e2]}"#
    let file = try TemporaryFile(#"{"log":{"entries":[\#(odd)]}}"#)
    let merge = try CaptureMerge([InputSource.open(file.path, for: .anywhere)], into: "merged.har")
    var bytes: [UInt8] = []
    try merge.write(creator: HARCreator(name: "t", version: "1")) { (piece) throws(Never) in
      for index in piece.indices { bytes.append(piece[index]) }
    }
    #expect(String(decoding: bytes, as: UTF8.self).contains("\n\(odd)\n"))
  }

  @Test("Which log cannot be read, and what the sink throws")
  func failures() throws {
    let good = try TemporaryFile(HARLog(creator: HARCreator(name: "a", version: "1")).json)
    let bad = try TemporaryFile("{\"log\":{\"entries\":[{\"a\":!")
    let inputs = try [good, bad].map { try InputSource.open($0.path, for: .anywhere) }
    do throws(CaptureMerge.Failure<Never>) {
      _ = try CaptureMerge(inputs, into: "merged.har")
      Issue.record("what is no JSON was taken")
    } catch {
      guard case .source(1, .malformed(let cause)) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(cause.offset == 25)
    }
    let merge = try CaptureMerge([InputSource.open(good.path, for: .anywhere)], into: "merged.har")
    #expect(throws: CaptureMerge.Failure<Full>.self) {
      try merge.write(creator: HARCreator(name: "t", version: "1")) { (_) throws(Full) in throw Full() }
    }
  }

  @Test("A log that became shorter meanwhile is an error, not half an entry")
  func shortened() throws {
    let file = try TemporaryFile(HARLog(creator: HARCreator(name: "a", version: "1"), entries: [.ordinary()]).json)
    let merge = try CaptureMerge([InputSource.open(file.path, for: .anywhere)], into: "merged.har")
    let descriptor = try SystemCalls.open(file.path, .writeOnly)
    defer { SystemCalls.discard(descriptor) }
    try SystemCalls.truncate(descriptor, to: 200)
    #expect(throws: CaptureMerge.Failure<Never>.self) {
      try merge.write(creator: HARCreator(name: "t", version: "1")) { (_) throws(Never) in }
    }
  }
}
