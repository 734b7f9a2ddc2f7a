import TapelineHAR
import Testing

@Suite("Recovery of damaged logs")
struct HARRecoveryTests {
  private typealias Outcome = HARRecovery<Never>.Outcome

  private func recover(_ text: [UInt8], step: Int = .max) -> (log: [UInt8], outcome: Outcome) {
    let sink = Sink()
    var recovery = HARRecovery { (piece) throws(Never) in sink.append(piece) }
    for piece in pieces(text, step) { recovery.feed(piece.span) }
    let outcome = recovery.finish()
    return (sink.bytes, outcome)
  }

  private static func entry(_ number: Int) -> HAREntry {
    HAREntry(
      pageref: "page_1", startedDateTime: "2026-01-02T03:04:05.00000\(number)Z", time: 0,
      request: HARRequest(method: "GET", url: "http://h/\(number)", httpVersion: "HTTP/1.1"),
      response: HARResponse(status: 200, statusText: "OK", httpVersion: "HTTP/1.1", content: HARContent(size: 0, mimeType: "x")),
      timings: HARTimings(send: 0, wait: 0, receive: 0))
  }

  /// As we write it: pages behind the entries.
  private static let text: [UInt8] = {
    let sink = Sink()
    var writer = HARWriter(HARLog(creator: HARCreator(name: "tapeline", version: "1")), withPages: false) {
      (piece) throws(Never) in
      sink.append(piece)
    }
    for number in 0..<5 { writer.write(entry(number)) }
    writer.finish(
      pages: [HARPage(startedDateTime: "2026-01-02T03:04:05Z", id: "page_1", title: "run")], custom: ["_dropped": ["bodies": 1]])
    return sink.bytes
  }()

  @Test("A hole in the file, which reads as NULs, costs no memory and no entry behind it", arguments: [1, 7, 1 << 16])
  func wideHole(step: Int) throws {
    let ends = Self.text.indices.filter { Self.text[$0] == UInt8(ascii: "\n") }
    let hole = [UInt8](repeating: 0, count: 100_000)
    for place in [0, 5, ends[1] + 10, ends[2] + 1] {
      let lineEnd = ends.first { $0 >= place } ?? 0
      let text = Self.text[..<place] + hole + Self.text[lineEnd...]
      let (bytes, outcome) = recover(Array(text), step: step)
      #expect(outcome.entries >= 4 || place < ends[0])
      #expect(outcome.lost >= hole.count)
      if outcome.entries > 0 { #expect(try HARLog(json: bytes).entries.count == outcome.entries) }
    }
  }

  @Test("A line beyond the limit is lost, and those behind it are found")
  func limit() throws {
    let sink = Sink()
    var recovery = HARRecovery(valueSizeLimit: 10_000) { (piece) throws(Never) in sink.append(piece) }
    let lines = Self.text.split(separator: UInt8(ascii: "\n")).map(Array.init)
    recovery.feed((Array("torn".utf8) + [UInt8](repeating: UInt8(ascii: "a"), count: 50_000) + Array("\n".utf8)).span)
    for line in lines.dropFirst() { recovery.feed((line + Array("\n".utf8)).span) }
    let outcome = recovery.finish()
    #expect(outcome.entries == 5)
    #expect(outcome.lost == 50_004)
  }

  @Test("Cut anywhere, every whole entry is kept, and the result is valid")
  func cutAnywhere() throws {
    let ends = Self.text.indices.filter { Self.text[$0] == UInt8(ascii: "\n") }
    for end in 0..<Self.text.count {
      let (bytes, outcome) = recover(Array(Self.text[..<end]))
      // An entry is whole when its closing brace is there, which stands before the line break or the comma before that.
      let whole = ends.dropFirst().prefix(5).filter { $0 - (Self.text[$0 - 1] == UInt8(ascii: ",") ? 1 : 0) <= end }.count
      #expect(outcome.entries == whole, "cut at \(end)")
      guard outcome.entries > 0 else {
        #expect(bytes.isEmpty || outcome.damage == nil)
        continue
      }
      let log = try HARLog(json: bytes)
      #expect(log.entries == (0..<whole).map(Self.entry))
      #expect(log.creator.name == "tapeline")
      #expect(try HARValidator.findings(in: bytes) == [])
    }
  }

  @Test("A whole log is copied, and nothing is said")
  func whole() throws {
    let (bytes, outcome) = recover(Self.text)
    #expect(outcome == Outcome(entries: 5))
    #expect(bytes == Self.text)
    #expect(recover(Self.text, step: 3).log == bytes)
  }

  @Test("Entries behind a hole are found, and what closes the log too", arguments: [1, 2, 7, 300, Int.max])
  func hole(step: Int) throws {
    var text = Self.text
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let start = lines[2].startIndex + 20
    for index in start..<lines[3].startIndex + 30 { text[index] = 0 }
    let (bytes, outcome) = recover(text, step: step)
    #expect(outcome.entries == 3)
    #expect(outcome.damage?.offset == start)
    #expect(outcome.lost > 0 && outcome.missingPages == 0)
    let log = try HARLog(json: bytes)
    #expect(log.entries == [0, 3, 4].map(Self.entry))
    #expect(log.pages.map(\.title) == ["run"] && log.custom["_dropped"] == ["bodies": 1])
  }

  @Test("Pages that are lost are made up")
  func pages() throws {
    let end = try #require(
      Self.text.lastIndex(of: UInt8(ascii: "\n")).flatMap { Self.text[..<$0].lastIndex(of: UInt8(ascii: "\n")) })
    let (bytes, outcome) = recover(Array(Self.text[..<end]))
    #expect(outcome.missingPages == 1)
    #expect(try HARLog(json: bytes).pages.map(\.id) == ["page_1"])
  }

  @Test("What is no log gives nothing", arguments: ["", "hello", "[]", "{}", "{\"log\":3}", "{\"log\":{\"entries\":[{\"a\":"])
  func nothing(text: String) {
    let (bytes, outcome) = recover(Array(text.utf8))
    #expect(bytes.isEmpty && outcome.entries == 0 && outcome.damage != nil)
  }

  @Test("Lines that only look like entries are left out")
  func lines() throws {
    let damaged =
      "{\"log\":{\"entries\":[!\n{\"name\":\"a\"},\n" + String(decoding: Self.entry(1).json, as: UTF8.self) + ",\n{}\n"
    let (bytes, outcome) = recover(Array(damaged.utf8))
    #expect(outcome.entries == 1)
    #expect(try HARLog(json: bytes).entries == [Self.entry(1)])
  }
}
