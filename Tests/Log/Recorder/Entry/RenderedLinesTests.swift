import TapelineCore
import TapelineHAR
import TapelineRedaction
import Testing

@testable import TapelineRecorder

@Suite("Lines that came before")
struct RenderedLinesTests {
  private func insert(_ name: String, _ value: String, json: String, into lines: inout RenderedLines) {
    var writer = JSONWriter()
    writer.append(string: "before")
    let start = writer.count
    writer.append(json: Array(json.utf8).span)
    lines.insert(name.utf8.span, value.utf8.span, from: writer, at: start)
  }

  private func json(_ name: String, _ value: String, in lines: RenderedLines) -> String? {
    var writer = JSONWriter()
    guard lines.append(name.utf8.span, value.utf8.span, to: &writer) else { return nil }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test("A line is found by its name and value, byte by byte")
  func found() {
    var lines = RenderedLines()
    #expect(json("server", "nginx", in: lines) == nil)
    insert("server", "nginx", json: "{1}", into: &lines)
    insert("etag", "", json: "{2}", into: &lines)
    #expect(json("server", "nginx", in: lines) == "{1}")
    #expect(json("etag", "", in: lines) == "{2}")
    #expect(json("Server", "nginx", in: lines) == nil)
    #expect(json("server", "nginy", in: lines) == nil)
    #expect(json("serve", "rnginx", in: lines) == nil)
    #expect(json("", "", in: lines) == nil)
  }

  @Test("Lines with the same places take them from each other, the older one first, and are never taken for each other")
  func collisions() {
    var lines = RenderedLines()
    let pair = RenderedLines.pair(of: "x".utf8.span, "abcdef".utf8.span)
    let values = (0..<10_000).map { "abcdef\($0)" }.filter { RenderedLines.pair(of: "x".utf8.span, $0.utf8.span) == pair }
    #expect(values.count > 2)
    for (number, value) in values.enumerated() {
      insert("x", value, json: "{\(value)}", into: &lines)
      let last = values[max(0, number - 1)...number]
      #expect(values.filter { json("x", $0, in: lines) == "{\($0)}" } == Array(last))
    }
    for number in 0..<10_000 { insert("n", "\(number)", json: "{\(number)}", into: &lines) }
    for number in 0..<10_000 {
      if let found = json("n", "\(number)", in: lines) { #expect(found == "{\(number)}") }
    }
  }

  @Test("A line longer than its place is not kept, and leaves the line that is there")
  func long() {
    var lines = RenderedLines()
    let value = String(repeating: "v", count: 200)
    insert("n", value, json: value, into: &lines)
    #expect(json("n", value, in: lines) == nil)
    insert("n", value, json: "{}", into: &lines)
    insert("n", value, json: value, into: &lines)
    #expect(json("n", value, in: lines) == "{}")
  }

  @Test("A line is hidden in an entry with its secret, whatever came before and after", arguments: [false, true])
  func echoes(isOften: Bool) throws {
    let secret = "correct-horse-battery"
    let plain = try ExampleExchange.make(fields: [("Host", "example.com"), ("X-Name", secret)])
    let guarded = try ExampleExchange.make(
      fields: [("Host", "example.com"), ("X-Name", secret), ("Authorization", "Bearer \(secret)")])
    var writer = EntryWriter(
      anchor: ExampleExchange.anchor, redactor: Redactor(.standard, key: RedactionKey(1, 2)), includesDebug: false)
    func headers(of record: ExchangeRecord) throws -> [String] {
      var text = JSONWriter()
      _ = writer.append(record, page: .first, to: &text)
      return try HAREntry(json: text.bytes).request.headers.map(\.value)
    }
    let first = try headers(of: plain)
    #expect(first[1] == secret)
    let hidden = try headers(of: guarded)
    #expect(hidden[1].hasPrefix("SENSITIVE_"))
    if isOften { #expect(try headers(of: guarded) == hidden) }
    #expect(try headers(of: plain) == first)
  }

  @Test("So is a URL, and its own secret has its token and its count in every entry")
  func urls() throws {
    let secret = "correct-horse-battery"
    let url = "http://example.com/\(secret)/x|y?q=a%20b"
    let bearer = ("Authorization", "Bearer \(secret)")
    let plain = try ExampleExchange.make(url: url)
    let guarded = try ExampleExchange.make(url: url, fields: [("Host", "example.com"), bearer])
    let own = try ExampleExchange.make(url: "http://example.com/?token=\(secret)")
    var writer = EntryWriter(
      anchor: ExampleExchange.anchor, redactor: Redactor(.standard, key: RedactionKey(1, 2)), includesDebug: false)
    func entry(of record: ExchangeRecord) throws -> HAREntry {
      var text = JSONWriter()
      _ = writer.append(record, page: .first, to: &text)
      return try HAREntry(json: text.bytes)
    }
    for _ in 0..<2 {
      let shown = try entry(of: plain).request
      #expect(shown.url == "http://example.com/\(secret)/x%7Cy?q=a%20b" && shown.queryString.map(\.value) == ["a b"])
      let hidden = try entry(of: guarded)
      #expect(!hidden.request.url.contains(secret) && hidden.request.url.hasSuffix("/x%7Cy?q=a%20b"))
      #expect(hidden.request.queryString.map(\.value) == ["a b"] && hidden.custom["_redacted"]?.integer == 2)
      let token = try entry(of: own)
      #expect(token.request.url.hasPrefix("http://example.com/?token=SENSITIVE_") && token.custom["_redacted"]?.integer == 1)
    }
  }

  @Test("A secret has its token and its count in every entry")
  func secrets() throws {
    let record = try ExampleExchange.make(fields: [("Host", "example.com"), ("X-Api-Key", "s3cr3t-s3cr3t"), ("Accept", "a/b")])
    var writer = EntryWriter(
      anchor: ExampleExchange.anchor, redactor: Redactor(.standard, key: RedactionKey(1, 2)), includesDebug: false)
    var texts: [[UInt8]] = []
    for _ in 0..<3 {
      var text = JSONWriter()
      _ = writer.append(record, page: .first, to: &text)
      texts.append(text.bytes)
    }
    #expect(texts[0] == texts[1] && texts[1] == texts[2])
    let entry = try HAREntry(json: texts[2])
    #expect(entry.request.headers[1].value.hasPrefix("SENSITIVE_"))
    #expect(entry.custom["_redacted"]?.integer == 1)
  }
}
