internal import TapelineCoding
internal import TapelineCore
internal import TapelineHAR
internal import TapelineHTTP
internal import TapelineTime

extension EntryWriter {
  /// Appends `_webSocketMessages` in Chrome's form, and how many messages are not among them.
  mutating func appendMessages(of record: ExchangeRecord, to writer: inout JSONWriter) {
    guard record.webSocketMessageCount > 0 else { return }
    writer.append(json: #","_resourceType":"websocket","_webSocketMessages":["#)
    var inflater = MessageInflater(
      record.response.flatMap { MessageCompression(of: $0.fields) }, limit: decodedBodyLimit)
    for (index, message) in record.webSocketMessages.enumerated() {
      if index > 0 { writer.append(octet: UInt8(ascii: ",")) }
      append(message, with: &inflater, to: &writer)
    }
    writer.append(octet: UInt8(ascii: "]"))
    let dropped = record.webSocketMessageCount - UInt64(record.webSocketMessages.count)
    if dropped > 0 {
      writer.append(json: #","_webSocketMessagesDropped":"#)
      writer.append(integer: dropped)
    }
  }

  private mutating func append(
    _ message: WebSocketMessage, with inflater: inout MessageInflater, to writer: inout JSONWriter
  ) {
    switch message.direction {
    case .toServer: writer.append(json: #"{"type":"send","time":"#)
    case .toClient: writer.append(json: #"{"type":"receive","time":"#)
    }
    // Seconds since 1970, as Chrome has it.
    writer.append(unixMicroseconds: anchor.unixNanoseconds(at: message.instant) / 1_000)
    writer.append(json: #","opcode":"#)
    writer.append(integer: Int(message.opcode))
    writer.append(json: #","data":"#)
    appendData(of: message, with: &inflater, to: &writer)
    writer.append(octet: UInt8(ascii: "}"))
  }

  /// Text as text, anything else in base64. What is compressed and cannot be inflated is given as it came.
  private mutating func appendData(
    of message: WebSocketMessage, with inflater: inout MessageInflater, to writer: inout JSONWriter
  ) {
    var octets = message.octets
    var isCut = message.size > UInt64(message.octets.count)
    var isRaw = false
    if message.isCompressed {
      if let step = inflater.inflate(message) {
        octets = step.octets
        isCut = isCut || step.end != .complete
      } else {
        isRaw = true
      }
    }
    if !isRaw, let redacted = redactor?.redacted(octets.span) { octets = redacted }
    let isText = message.opcode == Self.textOpcode && !isRaw
    let end = isText && isCut ? octets.span.endOfWholeCharacters : octets.count
    if !isText || !writer.append(utf8: octets.span.extracting(0..<end)) {
      writer.append(base64: octets.span)
      if message.opcode == Self.textOpcode { writer.append(json: #","_encoding":"base64""#) }
    }
    if isCut {
      writer.append(json: #","_size":"#)
      writer.append(integer: message.size)
      writer.append(json: #","_truncated":true"#)
    }
    if isRaw { writer.append(json: #","_compressed":true"#) }
  }

  private static let textOpcode: UInt8 = 1
}

extension JSONWriter {
  fileprivate mutating func append(unixMicroseconds: Int64) {
    let (seconds, rest) = unixMicroseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
    append(integer: seconds)
    append(octet: UInt8(ascii: "."))
    append(padded: rest, digits: 6)
  }
}
