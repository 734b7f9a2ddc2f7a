internal import TapelineHAR
internal import TapelineHTTP
internal import TapelineHTTP2
internal import TapelineRedaction

/// The URL and the lines of one entry's heads as JSON, made in the pass that looks for their secrets.
///
/// A secret that another part of the entry has may be in them too: then they must be written again, without it.
struct HeadLines: ~Copyable {
  private var text = JSONWriter(capacity: usualCapacity)
  private var known = RenderedLines()

  private static let usualCapacity = 64 << 10
  /// Stands for the name of a line; no field has it.
  private static let nameOfURL = Array(":url".utf8)

  /// Forgets the lines of the previous entry.
  mutating func beginEntry() {
    text.keepLast(0, largestCapacity: Self.usualCapacity)
  }

  /// Takes the URL of a request. Answers it without its secrets, and where its members are as JSON.
  mutating func takeURL(_ url: consuming [UInt8], hidingBy redactor: inout Redactor?) -> ([UInt8], Range<Int>) {
    let start = text.count
    guard !known.append(Self.nameOfURL.span, url.span, to: &text) else { return (url, start..<text.count) }
    var shown: [UInt8] = []
    redactor?.redactURL(url.span, into: &shown)
    if redactor == nil { shown = url }
    EntryURL.appendMembers(of: shown, to: &text)
    if shown == url { known.insert(Self.nameOfURL.span, url.span, from: text, at: start) }
    return (shown, start..<text.count)
  }

  /// Takes the lines of a head. Answers them without their secrets, and where their JSON is.
  mutating func take(_ fields: HeaderFields, hidingBy redactor: inout Redactor?) -> (RecordedFields, Range<Int>) {
    var recorded = RecordedFields(fields)
    let bytes = fields.bytes.span
    let start = text.count
    for line in 0..<fields.count {
      let name = bytes.extracting(fields.nameRange(at: line))
      let value = bytes.extracting(fields.valueRange(at: line))
      append(name, value, isFirst: line == 0) { (redactor?.hidden(name: name), redactor?.hide(line, in: &recorded)) }
    }
    return (recorded, start..<text.count)
  }

  /// Takes the pseudo-fields of a request. Answers the values that had secrets, by their line, and where the JSON is.
  mutating func takePseudoFields(
    of list: HTTP2HeaderList, hidingBy redactor: inout Redactor?
  ) -> (hidden: [(line: Int, value: [UInt8])], json: Range<Int>) {
    var hidden: [(line: Int, value: [UInt8])] = []
    let bytes = list.bytes.span
    let start = text.count
    for line in 0..<list.pseudoFieldCount {
      let name = bytes.extracting(list.nameRange(at: line))
      let value = bytes.extracting(list.valueRange(at: line))
      append(name, value, isFirst: line == 0) {
        let shown = redactor?.redacted(value, ofFieldNamed: name)
        if let shown { hidden.append((line, shown)) }
        return (nil, shown)
      }
    }
    return (hidden, start..<text.count)
  }

  /// Appends what was taken.
  func append(_ lines: Range<Int>, to writer: inout JSONWriter) {
    text.withBytes { writer.append(json: $0.extracting(lines)) }
  }

  /// Appends a line.
  ///
  /// - Parameter redacted: name and value without their secrets, or `nil`; not asked for where the line is known.
  private mutating func append(
    _ name: Span<UInt8>, _ value: Span<UInt8>, isFirst: Bool, redacted: () -> (name: [UInt8]?, value: [UInt8]?)
  ) {
    if !isFirst { text.append(byte: UInt8(ascii: ",")) }
    guard !known.append(name, value, to: &text) else { return }
    let shown = redacted()
    switch (shown.name, shown.value) {
    case (let hiddenName?, let hiddenValue?): return text.append(name: hiddenName.span, value: hiddenValue.span)
    case (let hiddenName?, nil): return text.append(name: hiddenName.span, value: value)
    case (nil, let hiddenValue?): return text.append(name: name, value: hiddenValue.span)
    case (nil, nil): break
    }
    let start = text.count
    text.append(name: name, value: value)
    known.insert(name, value, from: text, at: start)
  }
}

extension JSONWriter {
  /// Appends a line of a head as an element of `headers`.
  mutating func append(name: Span<UInt8>, value: Span<UInt8>) {
    append(json: #"{"name":"#)
    append(text: name)
    append(json: #","value":"#)
    append(text: value)
    append(byte: UInt8(ascii: "}"))
  }
}
