internal import TapelineCore
internal import TapelineHAR
internal import TapelineHTTP
internal import TapelineRedaction
internal import TapelineBase
internal import TapelineTime

extension EntryWriter {
  /// Appends `_grpc`, if the exchange is a call.
  mutating func appendCall(
    of record: ExchangeRecord, _ parts: EntryParts, from start: MonotonicInstant?, to writer: inout JSONWriter
  ) {
    guard let call = record.grpc else { return }
    writer.append(member: .grpc)
    writer.append(byte: UInt8(ascii: "{"))
    appendStatus(of: parts, to: &writer)
    writer.append(json: #""requestMessages":"#)
    writer.append(integer: call.toServer)
    writer.append(json: #","responseMessages":"#)
    writer.append(integer: call.toClient)
    writer.append(json: #","messages":"#)
    append(call.messages, to: &writer) { message, writer in
      append(message.direction, at: message.instant, to: &writer)
      writer.append(json: #","size":"#)
      writer.append(integer: UInt64(message.size))
      writer.append(json: message.isCompressed ? #","compressed":true"# : #","compressed":false"#)
      if message.isTrailers { writer.append(json: #","trailers":true"#) }
    }
    if !call.others.isEmpty, let start {
      writer.append(json: #","rest":"#)
      append(messages: call.others, markBits: 3, from: start, to: &writer)
    }
    if let note = call.note {
      writer.append(json: #","note":"#)
      writer.append(string: shown(note))
    }
    writer.append(byte: UInt8(ascii: "}"))
  }

  /// The status from the trailers, or from the head of a response that has nothing else ("gRPC over HTTP2", Trailers-Only), or
  /// from the trailers of gRPC-Web. The lines are those of the log, so their secrets are replaced.
  private mutating func appendStatus(of parts: EntryParts, to writer: inout JSONWriter) {
    let sections = [parts.responseTrailers, parts.response, parts.callTrailers].compactMap(\.self)
    let found = sections.lazy.compactMap { section in section.line(named: "grpc-status").map { (section, $0) } }.first
    guard let (section, statusLine) = found else { return }
    if let status = section.withValue(at: statusLine, { GRPCStatus(fieldValue: $0) }) {
      writer.append(json: #""status":"#)
      writer.append(integer: UInt64(status.rawValue))
      writer.append(byte: UInt8(ascii: ","))
      if let name = status.name {
        writer.append(json: #""statusName":"#)
        writer.append(string: name)
        writer.append(byte: UInt8(ascii: ","))
      }
    }
    guard let line = section.line(named: "grpc-message") else { return }
    var message: [UInt8] = []
    section.withValue(at: line) { PercentEncoding.append(decoding: $0, to: &message) }
    writer.append(json: #""message":"#)
    redactor?.hideEchoes(in: &message)
    writer.append(text: message.span)
    writer.append(byte: UInt8(ascii: ","))
  }
}

extension RecordedFields {
  fileprivate func line(named name: StaticString) -> Int? { fields.line(named: name) }
}

extension HeaderFields {
  /// The last line of a name that is not a `FieldName`.
  fileprivate func line(named name: StaticString) -> Int? {
    indices.last { index in withNameBytes(at: index) { $0.equals(name, in: $0.indices) } }
  }
}

extension ExchangeRecord {
  /// The status of an answer by the proxy that is neither that to a failure nor one that opens a tunnel.
  var ownAnswer: Int? {
    guard case .exchange = kind, !isBrokenOff, response == nil else { return nil }
    return localStatus
  }

  /// The status of a gRPC call, wherever its response has it; `nil` if it says none, and for other exchanges.
  var callStatus: GRPCStatus? {
    guard let grpc else { return nil }
    for fields in [responseTrailers, response?.fields, grpc.trailers] {
      guard let fields, let line = fields.line(named: "grpc-status") else { continue }
      let bytes = fields.bytes
      return GRPCStatus(fieldValue: bytes.span.extracting(fields.valueRange(at: line)))
    }
    return nil
  }
}
