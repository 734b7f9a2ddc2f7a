import TapelineHAR
import TapelineSystem
import TapelineTestSupport
import TapelineTime
import Testing

@testable import TapelineRecorder

struct HARFileSeriesTests {
  private let directory: TemporaryDirectory
  private var configuration: RecorderConfiguration

  init() throws {
    directory = try TemporaryDirectory()
    configuration = RecorderConfiguration(path: directory.path("a.har"), title: "a title", creatorVersion: "9")
    configuration.anchor = ExampleExchange.anchor
  }

  private func comments(_ name: String) throws -> [String?] {
    try HARLog(json: readFile(directory.path(name))).entries.map(\.comment)
  }

  private func begin(_ configuration: RecorderConfiguration) throws(RecorderError) -> HARFileSeries {
    try HARFileSeries(
      configuration, firstPage: RecordedPage(id: .first, title: configuration.title, began: configuration.anchor.instant))
  }

  /// A page that begins so many nanoseconds after the first.
  private func page(_ number: UInt64, after nanoseconds: Int64) -> RecordedPage {
    RecordedPage(id: PageID(number: number), title: "p\(number)", began: instant(nanoseconds))
  }

  private func instant(_ nanoseconds: Int64) -> MonotonicInstant {
    configuration.anchor.instant.advanced(byNanoseconds: nanoseconds)
  }

  private func log(_ name: String) throws -> HARLog {
    try HARLog(json: readFile(directory.path(name)))
  }

  private func add(_ comment: String, startedAt start: MonotonicInstant? = nil, to files: inout HARFileSeries) throws {
    try files.append(startedAt: start) { writer, page in
      writer.append(json: #"{"comment":"#)
      writer.append(string: comment)
      writer.append(json: #","pageref":"#)
      writer.append(string: page.text)
      writer.append(byte: UInt8(ascii: "}"))
    }
  }

  @Test func everyFileHasItsPage() throws {
    _ = try begin(configuration)
    let log = try HARLog(json: readFile(configuration.path))
    #expect(log.creator == HARCreator(name: "tapeline", version: "9"))
    #expect(
      log.pages == [
        HARPage(
          startedDateTime: "2026-03-04T05:06:07.123456Z", id: "page_1", title: "a title",
          pageTimings: HARPageTimings(onContentLoad: -1, onLoad: -1))
      ])
  }

  @Test func manyEntriesAreOneWrite() throws {
    var files = try begin(configuration)
    try add("1", to: &files)
    try add("2", to: &files)
    #expect(try comments("a.har").isEmpty)
    try files.flush()
    #expect(try comments("a.har") == ["1", "2"])
    try add("3", to: &files)
    try files.flush()
    #expect(try comments("a.har") == ["1", "2", "3"])
  }

  @Test func aFileThatBeginsWithALargeEntryIsWhole() throws {
    let large = String(repeating: "x", count: 1_200_000)
    var configuration = configuration
    configuration.fileSizeLimit = 1_000_000
    var files = try begin(configuration)
    for comment in ["1", large, "3", large] { try add(comment, to: &files) }
    try files.flush()
    #expect(try comments("a.har") == ["1"])
    #expect(try comments("a-001.har") == [large])
    #expect(try comments("a-002.har") == ["3"])
    #expect(try comments("a-003.har") == [large])
    #expect(files.entryCount == 1)
  }

  @Test func aLargeEntryOfANewPageMayBeTheFirst() throws {
    let large = String(repeating: "x", count: 1_200_000)
    var files = try begin(configuration)
    try files.begin(page(2, after: 10))
    for comment in [large, "2", large, "4"] { try add(comment, startedAt: instant(20), to: &files) }
    try files.flush()
    #expect(try comments("a.har") == [large, "2", large, "4"])
    #expect(files.entryCount == 4)
  }

  @Test func muchTextIsWrittenWithoutBeingAsked() throws {
    var files = try begin(configuration)
    let large = String(repeating: "x", count: 600_000)
    try add(large, to: &files)
    try add(large, to: &files)
    #expect(try comments("a.har").count == 2)
  }

  @Test func theOldestFilesGo() throws {
    try directory.write("{", to: "a-002.har")
    var configuration = configuration
    configuration.keptFiles = 2
    var files = try begin(configuration)
    for number in 0...3 {
      try add("\(number)", to: &files)
      if number < 3 { try files.rotate() }
    }
    try files.flush()
    #expect(files.paths.map { $0.split(separator: "/").last } == ["a-003.har", "a-004.har"])
    #expect(!fileExists(directory.path("a.har")) && !fileExists(directory.path("a-001.har")))
    #expect(try readText(directory.path("a-002.har")) == "{", "somebody else's")
    #expect(try comments("a-004.har") == ["3"])
  }

  @Test func rotationPassesOverNamesThatAreTaken() throws {
    try directory.write("{", to: "a-002.har")
    var files = try begin(configuration)
    try add("0", to: &files)
    for number in 1...3 {
      try files.rotate()
      try add("\(number)", to: &files)
    }
    try files.flush()
    #expect(files.paths.map { $0.split(separator: "/").last } == ["a.har", "a-001.har", "a-003.har", "a-004.har"])
    #expect(try comments("a.har") == ["0"])
    #expect(try comments("a-001.har") == ["1"])
    #expect(try comments("a-003.har") == ["2"])
    #expect(try comments("a-004.har") == ["3"])
  }

  @Test(arguments: [1, 4, 10]) func aFileStaysBelowItsLimit(entriesPerWrite: Int) throws {
    var configuration = configuration
    configuration.fileSizeLimit = 8_192
    var files = try begin(configuration)
    for number in 0..<10 {
      try add(String(repeating: "\(number)", count: 1_600), to: &files)
      if (number + 1) % entriesPerWrite == 0 { try files.flush() }
    }
    try files.flush()
    #expect(files.paths.count > 2)
    var found: [String?] = []
    for path in files.paths {
      let bytes = try readFile(path)
      #expect(bytes.count <= 8_192)
      found += try HARLog(json: bytes).entries.map(\.comment)
    }
    #expect(found == (0..<10).map { String(repeating: "\($0)", count: 1_600) })
  }

  @Test func whatIsMissingIsSaidInItsFile() throws {
    var files = try begin(configuration)
    files.count(missing: MissingCounts(bodies: 2, exchanges: 1))
    try files.rotate()
    try files.flush()
    #expect(
      try HARLog(json: readFile(directory.path("a.har"))).custom["_dropped"] == ["bodies": 2, "exchanges": 1, "unwritten": 0])
    #expect(try HARLog(json: readFile(directory.path("a-001.har"))).custom.isEmpty)
  }

  @Test func whatWentPastTheProxyIsSaidInTheLastFile() throws {
    var files = try begin(configuration)
    try files.rotate()
    files.note(bypassed: [
      BypassedConnections(program: "py\"thon", address: "127.0.0.1:9", count: 3),
      BypassedConnections(program: "curl", address: "[::1]:9", count: 1),
    ])
    try files.flush()
    #expect(try HARLog(json: readFile(directory.path("a.har"))).custom.isEmpty)
    #expect(
      try HARLog(json: readFile(directory.path("a-001.har"))).custom["_bypassed"] == [
        ["program": "py\"thon", "address": "127.0.0.1:9", "count": 3], ["program": "curl", "address": "[::1]:9", "count": 1],
      ])
  }

  @Test func theNetworkIsSaidInEachFile() throws {
    var files = try begin(configuration)
    var recorded = RecordedNetwork(profile: "slow-4g", seed: 7)
    files.note(recorded)
    try files.flush()
    try files.rotate()
    (recorded.packets, recorded.lost, recorded.overflowed, recorded.queued, recorded.busy) = (9, 1, 2, 3, 12_345_678)
    files.note(recorded)
    try files.flush()
    let network = try ["a.har", "a-001.har"].map { try HARLog(json: readFile(directory.path($0))).custom["_network"] }
    #expect(
      network[0] == ["profile": "slow-4g", "seed": 7, "packets": 0, "lost": 0, "overflowed": 0, "queued": 0, "busy": 0])
    #expect(
      network[1] == [
        "profile": "slow-4g", "seed": 7, "packets": 9, "lost": 1, "overflowed": 2, "queued": 3,
        "busy": .number(HARNumber(12.345)),
      ])
    let delays = RecordedNetwork(profile: "3g", seed: 1, holdsPackets: false)
    files.note(delays)
    try files.flush()
    #expect(try HARLog(json: readFile(directory.path("a-001.har"))).custom["_network"] == ["profile": "3g", "seed": 1])
  }

  @Test func entriesBelongToThePageOfTheirBeginning() throws {
    var files = try begin(configuration)
    try files.begin(page(2, after: 100))
    try files.begin(page(3, after: 200))
    for (number, nanoseconds) in [Int64(250), 150, 50, -10].enumerated() {
      try add("\(number)", startedAt: instant(nanoseconds), to: &files)
    }
    try add("4", to: &files)
    try files.flush()
    let log = try log("a.har")
    #expect(log.entries.map(\.pageref) == ["page_3", "page_2", "page_1", "page_1", "page_3"])
    #expect(log.pages.map(\.id) == ["page_1", "page_2", "page_3"])
    #expect(log.pages.map(\.title) == ["a title", "p2", "p3"])
  }

  @Test func aPageIsInTheFileBeforeItsFirstEntry() throws {
    var files = try begin(configuration)
    try files.begin(page(2, after: 100))
    try files.flush()
    #expect(try log("a.har").pages.count == 2)
  }

  @Test func theNextFileListsWhatItsEntriesBelongTo() throws {
    var files = try begin(configuration)
    for number in UInt64(2)...4 { try files.begin(page(number, after: Int64(number) * 100)) }
    try files.rotate()
    try files.flush()
    #expect(try log("a-001.har").pages.map(\.id) == ["page_4"])
    try add("late", startedAt: instant(250), to: &files)
    try files.flush()
    #expect(try log("a-001.har").pages.map(\.id) == ["page_2", "page_3", "page_4"])
    #expect(try log("a-001.har").entries.map(\.pageref) == ["page_2"])
  }

  @Test func manyPagesBeginAFile() throws {
    var files = try begin(configuration)
    try add("1", to: &files)
    for number in 2...UInt64(PageList.most) { try files.begin(page(number, after: Int64(number))) }
    #expect(files.paths.count == 1)
    try files.begin(page(UInt64(PageList.most) + 1, after: 5_000))
    try add("2", startedAt: instant(-5), to: &files)
    try files.flush()
    #expect(files.paths.count == 2)
    #expect(try log("a.har").pages.count == PageList.most)
    let last = try log("a-001.har")
    #expect(last.entries.map(\.pageref) == [last.pages.first?.id])
    #expect(last.pages.count <= PageList.most)
  }

  @Test func aFileThatWasRemovedIsLeft() throws {
    var files = try begin(configuration)
    try SystemCalls.remove(configuration.path)
    try add("lost", to: &files)
    #expect(throws: RecorderError.removed(path: configuration.path)) { try files.rotate() }
    try add("kept", to: &files)
    try files.flush()
    #expect(try comments("a-001.har") == ["kept"])
    #expect(files.unwritten == 1)
  }
}
