internal import TapelineBase
internal import TapelineHAR

/// The data blocks of a report, collected until they are written.
///
/// Each exchange has a block of its own, and so has each body: a page of ten thousand exchanges parses only the exchanges that
/// the reader opens. The rows of the table, which the page needs at once, share blocks.
struct ReportBlocks: ~Copyable {
  private var text = JSONWriter(capacity: 128 << 10)
  private var rows = JSONWriter(capacity: 64 << 10)
  private var rowBlockCount = 0
  private var scratch = JSONWriter(capacity: 64 << 10)

  private static let rowBlockSize = 48 << 10

  /// Bytes that wait to be written.
  var count: Int { text.count }

  /// - Returns: the bytes of the row.
  @discardableResult
  mutating func append(row entry: borrowing ReportEntry) -> Int {
    let start = rows.count
    rows.append(byte: UInt8(ascii: rows.count == 0 ? "[" : ","))
    ReportRow.append(entry.entry, number: entry.number, events: entry.events, meaning: entry.meaning, to: &rows)
    let size = rows.count - start
    if rows.count >= Self.rowBlockSize { closeRows() }
    return size
  }

  /// Ends the current block of rows.
  mutating func closeRows() {
    guard rows.count > 0 else { return }
    rows.append(byte: UInt8(ascii: "]"))
    rowBlockCount += 1
    text.append(dataBlock: "rows-\(rowBlockCount)", rows)
    rows.truncate(to: 0)
  }

  /// - Returns: the bytes of the block.
  @discardableResult
  mutating func append(_ entry: borrowing ReportEntry) -> Int {
    let start = text.count
    scratch.truncate(to: 0)
    scratch.append(entry: entry.entry)
    text.append(dataBlock: "entry-\(entry.number)", scratch)
    return text.count - start
  }

  mutating func append(bodiesOf entry: borrowing ReportEntry) {
    if let body = entry.requestBody { append(body, id: "request-\(entry.number)") }
    if let body = entry.responseBody { append(body, id: "response-\(entry.number)") }
    if !entry.events.isEmpty { append(entry.events, id: "events-\(entry.number)") }
    if !entry.answer.isEmpty { append(.string(entry.answer), id: "answer-\(entry.number)") }
  }

  /// Any other value.
  mutating func append(_ value: HARValue, id: String) {
    scratch.truncate(to: 0)
    scratch.append(value: value)
    text.append(dataBlock: id, scratch)
  }

  /// The rows of the critical path, which the page reads when somebody asks.
  mutating func append(critical rows: some Sequence<CriticalPath.Row>) {
    scratch.truncate(to: 0)
    for row in rows {
      scratch.append(byte: UInt8(ascii: scratch.count == 0 ? "[" : ","))
      scratch.append(critical: row)
    }
    guard scratch.count > 0 else { return }
    scratch.append(byte: UInt8(ascii: "]"))
    text.append(dataBlock: "critical-rows", scratch)
  }

  /// Bytes of the page around the data.
  mutating func append(page bytes: Span<UInt8>) {
    text.append(json: bytes)
  }

  private mutating func append(_ body: ReportBody, id: String) {
    scratch.truncate(to: 0)
    scratch.append(body: body)
    text.append(dataBlock: id, scratch)
  }

  private mutating func append(_ events: [StreamEvent], id: String) {
    scratch.truncate(to: 0)
    scratch.append(events: events)
    text.append(dataBlock: id, scratch)
  }

  /// Writes everything that was collected.
  mutating func flush<Failure: Error>(_ sink: (Span<UInt8>) throws(Failure) -> Void) throws(Failure) {
    try text.withBytes(sink)
    text.truncate(to: 0)
  }

  /// Drops the collected blocks, and returns their size in bytes. Rows of an open block are counted when the block ends.
  mutating func discard() -> Int {
    defer { text.truncate(to: 0) }
    return text.count
  }
}

extension JSONWriter {
  /// Appends JSON as a block of data in a page: an element whose text no browser runs, and in which no text can end the element
  /// or begin another. In JSON `<` occurs only in strings, where it can be escaped.
  mutating func append(dataBlock id: String, _ json: borrowing JSONWriter) {
    append(json: #"<script type="application/json" id=""#)
    append(text: id)
    append(json: #"">"#)
    json.withBytes { append(inert: $0) }
    append(json: "</script>\n")
  }

  mutating func append(body: ReportBody) {
    append(json: #"{"leftOut":"#)
    append(integer: body.leftOut)
    if let kept = body.text {
      append(json: #","text":"#)
      append(string: kept)
    }
    append(byte: UInt8(ascii: "}"))
  }

  /// Each event as an array, since member names would be longer than the values: time, id, name, data or the size of data that is
  /// no text, and 1 for one that carries no content.
  mutating func append(events: [StreamEvent]) {
    append(byte: UInt8(ascii: "["))
    for (index, event) in events.enumerated() {
      append(json: index == 0 ? "[" : ",[")
      if let time = event.time { append(number: time) } else { append(json: "null") }
      for text in [event.id, event.name] {
        append(byte: UInt8(ascii: ","))
        append(string: text)
      }
      append(byte: UInt8(ascii: ","))
      let data = event.data ?? []
      if data.span.isUTF8 { append(string: event.text) } else { append(integer: data.count) }
      if !event.hasContent { append(json: ",1") }
      append(byte: UInt8(ascii: "]"))
    }
    append(byte: UInt8(ascii: "]"))
  }

  private mutating func append(inert json: Span<UInt8>) {
    var start = 0
    for index in json.indices where json[index] == UInt8(ascii: "<") && Self.mayEndScript(json, after: index) {
      append(json: json.extracting(start..<index))
      append(json: #"\u003C"#)
      start = index + 1
    }
    append(json: json.extracting(start..<json.count))
  }

  /// Whether `<` at `place` must be escaped: it may be the beginning of `<!--`, `<script` or `</script` (HTML, "Restrictions for
  /// contents of script elements"). Other tags stay as they are: bodies are full of them.
  private static func mayEndScript(_ text: Span<UInt8>, after place: Int) -> Bool {
    var next = place + 1
    if next < text.count, text[next] == UInt8(ascii: "/") { next += 1 }
    guard next < text.count else { return true }
    return text[next] == UInt8(ascii: "!") || text[next] | 0x20 == UInt8(ascii: "s")
  }

  /// Appends text of the page itself.
  mutating func append(text: String) {
    append(json: Array(text.utf8).span)
  }
}
