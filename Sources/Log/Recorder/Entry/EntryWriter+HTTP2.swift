internal import TapelineCore
internal import TapelineHAR
internal import TapelineHTTP
internal import TapelineHTTP2
internal import TapelineRedaction
internal import TapelineBase
internal import TapelineTime
internal import TapelineTransport

/// The pseudo-fields of a request, without their secrets.
struct PseudoFields {
  private let list: HTTP2HeaderList
  /// The values that had secrets, by their line.
  private var hidden: [(line: Int, value: [UInt8])]
  /// Where the lines are in `HeadLines`; `nil` if they have a secret of another part of the entry there.
  private(set) var json: Range<Int>?

  init(_ list: HTTP2HeaderList, redactor: inout Redactor?, lines: inout HeadLines) {
    self.list = list
    (hidden, json) = lines.takePseudoFields(of: list, hidingBy: &redactor)
  }

  private var lines: Range<Int> { 0..<list.pseudoFieldCount }

  var isEmpty: Bool { lines.isEmpty }

  /// The authority is also in the URL, which would be invalid without a host.
  mutating func hideEchoes(by redactor: inout Redactor) {
    for line in lines where !list.bytes.span.equals(":authority", in: list.nameRange(at: line)) {
      let index = hidden.firstIndex { $0.line == line }
      let shown = index.map { hidden[$0].value } ?? Array(list.bytes[list.valueRange(at: line)])
      guard let value = redactor.withoutEchoes(shown.span) else { continue }
      json = nil
      if let index { hidden[index].value = value } else { hidden.append((line, value)) }
    }
  }

  /// Appends the lines as the elements of an array.
  func append(to writer: inout JSONWriter) {
    let bytes = list.bytes.span
    for line in lines {
      if line > 0 { writer.append(byte: UInt8(ascii: ",")) }
      let name = bytes.extracting(list.nameRange(at: line))
      if let change = hidden.first(where: { $0.line == line }) {
        writer.append(name: name, value: change.value.span)
      } else {
        writer.append(name: name, value: bytes.extracting(list.valueRange(at: line)))
      }
    }
  }
}

extension EntryWriter {
  /// Appends the pseudo-fields.
  func append(_ fields: PseudoFields, to writer: inout JSONWriter) {
    guard !fields.isEmpty else { return }
    writer.append(member: .pseudo)
    writer.append(byte: UInt8(ascii: "["))
    if let lines = fields.json {
      headLines.append(lines, to: &writer)
    } else {
      fields.append(to: &writer)
    }
    writer.append(byte: UInt8(ascii: "]"))
  }

  /// Appends `headersSize`. In HTTP/2 a head has no size in HAR's sense; `_headersWire` has that of the compressed header block.
  func appendHeadSize(_ size: Int, in version: HTTPVersion, to writer: inout JSONWriter) {
    guard version >= .http2 else {
      writer.append(json: #","headersSize":"#)
      writer.append(integer: size)
      return
    }
    writer.append(json: #","headersSize":-1"#)
    writer.append(member: .headersWire)
    writer.append(integer: size)
  }

  /// Appends `_http2`, if one side speaks it.
  func appendHTTP2(of record: ExchangeRecord, to writer: inout JSONWriter) {
    guard let details = record.http2 else { return }
    writer.append(member: .http2)
    writer.append(byte: UInt8(ascii: "{"))
    if let stream = details.stream {
      append(#""streamId":"#, Int(stream.id), to: &writer)
    }
    if let stream = details.clientStream { append(#""clientStreamId":"#, Int(stream), to: &writer) }
    if let wish = details.priorityUpdate ?? record.request?.priorityField {
      let priority = HTTP2Priority(fieldValue: wish)
      append(#""urgency":"#, priority.urgency, to: &writer)
      writer.append(json: priority.isIncremental ? #","incremental":true"# : #","incremental":false"#)
    }
    if let stream = details.stream {
      append(#""windowStalls":"#, stream.sendStalls, to: &writer)
      writer.append(json: #","sendStalled":"#)
      writer.append(thousandths: EntryTimings.microseconds(stream.sendStalled.nanoseconds))
      writer.append(json: #","receiveStalled":"#)
      writer.append(thousandths: EntryTimings.microseconds(stream.receiveStalled.nanoseconds))
    }
    if let reset = details.reset {
      separate(in: &writer)
      writer.append(json: #""reset":{"code":"#)
      writer.append(string: reset.code.name)
      writer.append(json: #","who":"#)
      writer.append(string: reset.who.rawValue)
      writer.append(byte: UInt8(ascii: "}"))
    }
    if let code = details.stream?.goAway {
      separate(in: &writer)
      writer.append(json: #""goaway":"#)
      writer.append(string: code.name)
    }
    writer.append(byte: UInt8(ascii: "}"))
  }

  private func append(_ name: StaticString, _ number: Int, to writer: inout JSONWriter) {
    separate(in: &writer)
    writer.append(json: name)
    writer.append(integer: number)
  }

  /// Appends a comma, except at the start of the object.
  private func separate(in writer: inout JSONWriter) {
    if !writer.ends(with: UInt8(ascii: "{")) { writer.append(byte: UInt8(ascii: ",")) }
  }
}

extension HTTP2Details {
  /// The reset that came first: a client's own is passed on to the origin, and an origin's to the client.
  fileprivate var reset: StreamMetrics.Reset? {
    if let clientReset, clientReset.who == .client { return clientReset }
    return stream?.reset ?? clientReset
  }
}

extension RequestHead {
  /// The client's wish (RFC 9218 5), its lines joined; `nil` if it has none.
  fileprivate var priorityField: String? {
    let values = fields.values(named: "priority")
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }
}
