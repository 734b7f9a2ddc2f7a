internal import TapelineCore
internal import TapelineHAR
internal import TapelineHTTP
internal import TapelineHTTP2
internal import TapelineRedaction
internal import TapelineTime
internal import TapelineTransport

/// A pseudo-field of a request, without its secrets.
struct PseudoField {
  let name: String
  var value: [UInt8]

  /// The authority is also in the URL, which would be invalid without a host.
  mutating func hideEchoes(by redactor: inout Redactor) {
    if name != ":authority" { redactor.hideEchoes(in: &value) }
  }
}

extension EntryWriter {
  mutating func pseudoFields(of record: ExchangeRecord) -> [PseudoField] {
    guard let list = record.http2?.request else { return [] }
    return list.pseudoFields.map { name, text in
      let value = Array(text.utf8)
      return PseudoField(name: name, value: redactor?.redacted(value.span, ofFieldNamed: name.utf8.span) ?? value)
    }
  }

  /// Appends `,"_pseudo":[…]`, if there are any.
  func appendPseudoFields(_ fields: [PseudoField], to writer: inout JSONWriter) {
    guard !fields.isEmpty else { return }
    writer.append(json: #","_pseudo":["#)
    for (index, field) in fields.enumerated() {
      writer.append(json: index == 0 ? #"{"name":"# : #",{"name":"#)
      writer.append(string: field.name)
      writer.append(json: #","value":"#)
      writer.append(text: field.value.span)
      writer.append(byte: UInt8(ascii: "}"))
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
    writer.append(json: #","headersSize":-1,"_headersWire":"#)
    writer.append(integer: size)
  }

  /// Appends `_http2`, if one side speaks it.
  func appendHTTP2(of record: ExchangeRecord, to writer: inout JSONWriter) {
    guard let details = record.http2 else { return }
    writer.append(json: #","_http2":{"#)
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
