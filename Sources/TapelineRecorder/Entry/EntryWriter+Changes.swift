internal import TapelineCore
internal import TapelineHAR
internal import TapelineHTTP

/// Describes what the proxy changed: an entry without `_changes` was relayed as it came.
extension EntryWriter {
  /// Appends `_changes`, if there are any.
  func appendChanges(of record: ExchangeRecord, _ parts: EntryParts, to writer: inout JSONWriter) {
    let start = writer.count
    writer.append(json: #","_changes":["#)
    let emptyCount = writer.count
    if let head = record.request, let fields = parts.request, let forwarding = record.requestForwarding {
      appendProtocols(of: record, to: &writer)
      append(forwarding.changes(of: head), of: fields, #"{"leg":"request","change":"#, to: &writer)
      if let trailers = parts.requestTrailers {
        let lost = lostTrailers(trailers.fields, of: head.fields, forwarding.framing)
        append(lost, of: trailers, #"{"leg":"request","trailer":true,"change":"#, to: &writer)
      }
    }
    if let head = record.response, let fields = parts.response, let forwarding = record.responseForwarding {
      appendInterim(of: record, to: forwarding.clientVersion, to: &writer)
      append(forwarding.changes(of: head), of: fields, #"{"leg":"response","change":"#, to: &writer)
      if let trailers = parts.responseTrailers {
        let lost = lostTrailers(trailers.fields, of: head.fields, forwarding.framing)
        append(lost, of: trailers, #"{"leg":"response","trailer":true,"change":"#, to: &writer)
      }
    }
    if writer.count == emptyCount {
      writer.truncate(to: start)
    } else {
      writer.append(byte: UInt8(ascii: "]"))
    }
  }

  private func append(
    _ changes: [HeadChange], of fields: RecordedFields, _ opening: StaticString, to writer: inout JSONWriter
  ) {
    for change in changes {
      separate(in: &writer)
      writer.append(json: opening)
      switch change {
      case .added(let name, let value):
        writer.append(json: #""added","name":"#)
        writer.append(string: name)
        if let value { append(#","to":"#, value, to: &writer) }
      case .removed(let index):
        writer.append(json: #""removed""#)
        appendLine(of: fields, at: index, to: &writer)
      case .rewritten(let index, let value):
        writer.append(json: #""rewritten""#)
        appendLine(of: fields, at: index, to: &writer)
        append(#","to":"#, value, to: &writer)
      case .version(let version):
        writer.append(json: #""rewritten","name":":version","from":"#)
        append(version, to: &writer)
        writer.append(json: #","to":"HTTP/1.1""#)
      }
      writer.append(byte: UInt8(ascii: "}"))
    }
  }

  private func appendLine(of recorded: RecordedFields, at index: Int, to writer: inout JSONWriter) {
    writer.append(json: #","name":"#)
    let bytes = recorded.fields.bytes
    writer.append(text: bytes.span.extracting(recorded.fields.nameRange(at: index)))
    writer.append(json: #","from":"#)
    recorded.withValue(at: index) { writer.append(text: $0) }
  }

  private func append(_ name: StaticString, _ text: String, to writer: inout JSONWriter) {
    writer.append(json: name)
    writer.append(string: text)
  }

  private func separate(in writer: inout JSONWriter) {
    if !writer.ends(with: UInt8(ascii: "[")) { writer.append(byte: UInt8(ascii: ",")) }
  }

  /// Trailers need chunks, and fields for framing, for routing or for one hop must not be trailers (RFC 9110 6.5.1).
  private func lostTrailers(_ trailers: HeaderFields, of head: HeaderFields, _ framing: BodyFraming) -> [HeadChange] {
    guard framing == .chunked else { return trailers.indices.map { .removed($0) } }
    let hopByHop = HopByHopFields(of: head)
    return trailers.indices.filter { hopByHop.removesTrailer(trailers, at: $0) }.map { .removed($0) }
  }

  /// The protocols that the client offered inside TLS, if we do not speak them.
  private func appendProtocols(of record: ExchangeRecord, to writer: inout JSONWriter) {
    guard let offered = record.clientTLS?.facts.offeredProtocols, !offered.isEmpty, offered != ["http/1.1"] else { return }
    separate(in: &writer)
    writer.append(json: #"{"leg":"request","change":"rewritten","name":":alpn","from":"#)
    writer.append(string: offered.joined(separator: ", "))
    writer.append(json: #","to":"http/1.1"}"#)
  }

  /// A client of HTTP/1.0 gets no interim responses (RFC 9110 15.2).
  private func appendInterim(of record: ExchangeRecord, to version: HTTPVersion, to writer: inout JSONWriter) {
    guard version < .http11 else { return }
    for head in record.informational {
      separate(in: &writer)
      writer.append(json: #"{"leg":"response","change":"removed","name":":status","from":""#)
      writer.append(integer: head.status)
      writer.append(json: #""}"#)
    }
  }
}
