import TapelineHAR
import TapelineSystem
import TapelineTestSupport
import Testing

@testable import TapelineInspect

@Suite("Index beside a capture")
struct CaptureIndexTests {
  /// Every kind of entry, with figures of every kind: of our logs, and of others'.
  private static func entries(_ count: Int) -> [HAREntry] {
    (0..<count).map { number in
      var entry: HAREntry
      switch number % 7 {
      case 0: entry = .refused()
      case 1: entry = .afterSlowClient()
      case 2: entry = .ended()
      case 3: entry = .tunnel()
      case 4: entry = .inFlight()
      default: entry = .ordinary()
      }
      entry.request.url = "https://h\(number % 3).example/p/\(number % 11)?q=\(number)"
      entry.time = Double(number) * 1.001 + (number % 5 == 0 ? 0.123_456_7 : 0)
      entry.timings.wait = Double(number % 97) / 8
      entry.timings.connect = number % 4 == 0 ? 0.25 : -1
      if number % 7 > 4, number % 10 == 6 {
        entry.response.status = 404
        entry.response.statusText = "Not Found"
      }
      if number % 6 == 5 { entry.pageref = "page_2" }
      if number % 2 == 0 {
        entry.custom["_overhead"] = ["request": .number(HARNumber(1.5)), "response": .number(HARNumber(Double(number) / 3))]
      }
      return entry
    }
  }

  private static func capture(_ count: Int, in directory: TemporaryDirectory, named name: String = "a.har") throws -> String {
    let entries = entries(count).map { String(decoding: $0.json, as: UTF8.self) }.joined(separator: ",\n ")
    return try directory.write(
      #"{"log":{"pages":[{"id":"page_2","title":"log in","startedDateTime":""}],"entries":[\#(entries)]}}"#, to: name)
  }

  private static func index(_ path: String, blockSize: Int = CaptureIndex.blockSize) throws -> InputSource {
    let source = try InputSource.open(path)
    let stamp = try #require(source.stamp)
    var writer = try IndexWriter(beside: path, for: stamp, blockSize: blockSize)
    for (entry, range) in try entries(of: source, parts: IndexWriter.parts) { #expect(try writer.add(entry, at: range)) }
    try writer.finish(for: stamp)
    return source
  }

  private static func entries(of source: InputSource, parts: HAREntryParts) throws -> [(HAREntry, Range<Int>)] {
    var capture = Capture(source, parts: parts)
    let titles = PageTitles.read(source, .whole)
    var entries: [(HAREntry, Range<Int>)] = []
    while var entry = try capture.next() {
      titles.name(&entry)
      entry.file = source.name
      entries.append((entry, capture.entryRange))
    }
    return entries
  }

  private static let filters = [
    nil, "status >= 400", "host == 'h1.example' and wait > 5ms", "not error", "error or ended", "page == 'log in'",
    "page == 'page_2' and not reused", "dns > 1ms or connect", "number in (3, 40, 41) or url ~ 'q=7$'", "version == 2",
    "start >= '2020-01-01'", "file like '*a.har' and directory", "changed or server or type == 'fetch'", "resp.size > 1kB",
  ]

  @Test("Statistics by the index are those by the capture, for every grouping and condition", arguments: filters)
  func statistics(filter: String?) throws {
    let directory = try TemporaryDirectory()
    let path = try Self.capture(200, in: directory)
    let source = try Self.index(path)
    let index = try #require(CaptureIndex.open(beside: source))
    #expect(index.exchanges == 200)
    let query = try filter.map { try Query($0) }
    #expect(query?.isKnownToIndex ?? true)
    let entries = try Self.entries(of: source, parts: [.custom, .fields, .pageTitle])
    for groupings in StatisticsGrouping.named.map({ [$0] }) + [[.host, .page], [.directory, .path, .status, .method]] {
      var fromIndex = CaptureStatistics(by: groupings)
      try fromIndex.add(index, of: path, filter: query)
      var fromCapture = CaptureStatistics(by: groupings)
      for (number, (entry, _)) in entries.enumerated() {
        if query?.matches(entry, number: number + 1) ?? true { fromCapture.add(entry, number: number + 1) }
      }
      #expect(String(decoding: fromIndex.json.json, as: UTF8.self) == String(decoding: fromCapture.json.json, as: UTF8.self))
      #expect(fromCapture.all.exchanges > 0 || filter != nil)
    }
  }

  @Test("A capture of several blocks is counted whole, and its exchanges are found where they are")
  func blocks() throws {
    let directory = try TemporaryDirectory()
    let (blockSize, count) = (200, 410)
    let path = try Self.capture(count, in: directory)
    let source = try Self.index(path, blockSize: blockSize)
    let index = try #require(CaptureIndex.open(beside: source))
    #expect(index.exchanges == count)
    #expect(index.blocks.map(\.first) == [1, blockSize + 1, 2 * blockSize + 1])
    let wanted = [1, blockSize, blockSize + 1, 2 * blockSize + 1, count]
    let filter = try Query("number in (\(wanted.map(String.init).joined(separator: ", ")))")
    let found = IndexedEntries(index, of: source, filter: filter, parts: [.all, .pageTitle])
    let all = try Self.entries(of: source, parts: .all)
    var numbers: [Int] = []
    while let (number, entry) = try found.next() {
      numbers.append(number)
      #expect(entry == all[number - 1].0)
    }
    #expect(numbers == wanted)
  }

  @Test("Only an index of ours, of this state of the capture, is used")
  func trust() throws {
    let directory = try TemporaryDirectory()
    let path = try Self.capture(20, in: directory)
    let source = try Self.index(path)
    let place = IndexFile.path(beside: path)
    #expect(place == directory.path(".a.har.tapeline-index"))
    #expect(try fileMode(place) == 0o600)
    #expect(CaptureIndex.open(beside: source) != nil)
    try SystemCalls.setPermissions(0o644, of: place)
    #expect(CaptureIndex.open(beside: source) == nil)
    try SystemCalls.setPermissions(0o600, of: place)
    let bytes = try WholeFile.read(place, limit: 1 << 20)
    for cut in [0, 7, 8, bytes.count / 2, bytes.count - 1] {
      try WholeFile.write(Array(bytes[..<cut]), to: place)
      #expect(CaptureIndex.open(beside: source) == nil)
    }
    try WholeFile.write(Array(String(decoding: bytes, as: UTF8.self).utf8), to: place)
    #expect(CaptureIndex.open(beside: source) == nil || String(decoding: bytes, as: UTF8.self).utf8.count == bytes.count)
    try WholeFile.write(bytes, to: place)
    #expect(CaptureIndex.open(beside: source) != nil)
    // Another file under the name, with the same content.
    try SystemCalls.rename(path, to: directory.path("old"))
    let other = try InputSource.open(try Self.capture(20, in: directory))
    #expect(CaptureIndex.open(beside: other) == nil)
  }

  @Test("What has taken a capture's place, however, has no index of before")
  func replacedCapture() throws {
    let directory = try TemporaryDirectory()
    let path = try Self.capture(20, in: directory)
    let place = IndexFile.path(beside: path)
    _ = try Self.index(path)
    // By us.
    try WholeFile.write(Array("{}".utf8), to: path)
    #expect(SystemCalls.statusIfPresent(of: place) == nil)
    // By others: their index goes when it is looked for.
    let source = try InputSource.open(try Self.capture(20, in: directory))
    _ = try Self.index(path)
    try SystemCalls.rename(try Self.capture(10, in: directory, named: "b.har"), to: path)
    #expect(!source.isInPlace)
    let other = try InputSource.open(path)
    #expect(other.isInPlace && CaptureIndex.open(beside: other) == nil)
    #expect(SystemCalls.statusIfPresent(of: place) == nil)
  }

  @Test("An index whose capture is gone goes, and so does what a writer that was killed has left; others stay")
  func orphans() throws {
    let directory = try TemporaryDirectory()
    let path = try Self.capture(20, in: directory)
    let gone = try Self.capture(20, in: directory, named: "gone.har")
    for capture in [path, gone] { _ = try Self.index(capture) }
    try SystemCalls.remove(gone)
    let kept = [
      ".a.har.tapeline-index", ".a.har.tapeline-index.\(CurrentProcess.id)-abc", ".b.har.tapeline-index.bak", "a.har",
      "b.har.tapeline-index",
    ]
    let left = [".a.har.tapeline-index.2000000000-abc", ".gone.har.tapeline-index"]
    for name in kept.dropFirst() + left where name != "a.har" { try directory.write("", to: name) }
    IndexFile.removeOrphans(beside: path)
    #expect(try Directory.names(in: directory.path("")).sorted() == kept.sorted())
  }

  @Test("Large texts end a block early; a capture with a very large one, or with an index beyond measure, gets none")
  func largeTexts() throws {
    let directory = try TemporaryDirectory()
    let path = try Self.capture(1, in: directory)
    let stamp = try #require(try InputSource.open(path).stamp)
    let range = 0..<1
    var entry = HAREntry.ordinary()
    var writer = try IndexWriter(beside: path, for: stamp)
    entry.request.method = String(repeating: "x", count: 70_000)
    #expect(try !writer.add(entry, at: range))
    writer = try IndexWriter(beside: path, for: stamp)
    var rows = 0
    repeat {
      rows += 1
      entry.request.method = "\(rows)" + String(repeating: "x", count: 60_000)
    } while try writer.add(entry, at: range) && rows < 10_000
    #expect(rows > 16 && rows < 2_000, "the file is small")
    writer = try IndexWriter(beside: path, for: stamp)
    for number in 1...120 {
      entry.request.method = "\(number)" + String(repeating: "x", count: 40_000)
      #expect(try writer.add(entry, at: range))
    }
    try writer.finish(for: stamp)
    let index = try #require(CaptureIndex.open(beside: try InputSource.open(path)))
    #expect(index.exchanges == 120 && index.blocks.count > 1)
    #expect(index.blocks.allSatisfy { $0.lengths.reduce(0, +) < 2 * CaptureIndex.blockBytes })
  }

  @Test("An index whose columns are damaged says so, and is not counted as a capture")
  func damage() throws {
    let directory = try TemporaryDirectory()
    let path = try Self.capture(20, in: directory)
    let source = try Self.index(path)
    let place = IndexFile.path(beside: path)
    var bytes = try WholeFile.read(place, limit: 1 << 20)
    for offset in 0..<2_000 { bytes[offset] = 0xFF }
    try WholeFile.write(bytes, to: place)
    let index = try #require(CaptureIndex.open(beside: source))
    var statistics = CaptureStatistics(by: [.host])
    #expect(throws: CaptureIndex.Damage.self) { try statistics.add(index, of: path, filter: nil) }
  }

  @Test(
    "Conditions on what is not in an index are known",
    arguments: ["req.header['x']", "resp.body ~ 'a'", "tls.version", "server.db"])
  func unknownFields(filter: String) throws {
    #expect(try !Query("status == 200 or \(filter)").isKnownToIndex)
  }
}
