internal import TapelineCoding
internal import TapelineCore
internal import TapelineHAR
internal import TapelineHTTP
internal import TapelineTime

/// A WebSocket message as it is in the log: inflated, and without its secrets.
struct RecordedMessage {
  let message: WebSocketMessage
  var bytes: [UInt8]
  /// Whether `bytes` is only the beginning.
  var isCut: Bool
  /// Whether it is compressed but could not be inflated.
  var isRaw = false
}

extension EntryWriter {
  /// A message that cannot be inflated stays as it came; it is searched for secrets, too.
  mutating func prepareMessages(of record: ExchangeRecord) -> [RecordedMessage] {
    guard !record.webSocketMessages.isEmpty else { return [] }
    var inflater = MessageInflater(
      record.response.flatMap { MessageCompression(of: $0.fields) }, limit: decodedBodyLimit)
    return record.webSocketMessages.map { message in
      redactor?.source =
        switch message.direction {
        case .toServer: .credential
        case .toClient: .content
        }
      return prepare(message, with: &inflater)
    }
  }

  private mutating func prepare(_ message: WebSocketMessage, with inflater: inout MessageInflater) -> RecordedMessage {
    var recorded = RecordedMessage(
      message: message, bytes: message.bytes, isCut: message.size > UInt64(message.bytes.count))
    if message.isCompressed {
      if let step = inflater.inflate(message) {
        recorded.bytes = step.bytes
        recorded.isCut = recorded.isCut || step.end != .complete
      } else {
        recorded.isRaw = true
      }
    }
    if let redacted = redactor?.redacted(recorded.bytes.span) { recorded.bytes = redacted }
    return recorded
  }

  /// Appends `_webSocketMessages` in Chrome's form, and how many messages are missing.
  func append(_ messages: [RecordedMessage], of record: ExchangeRecord, to writer: inout JSONWriter) {
    guard record.webSocketMessageCount > 0 else { return }
    writer.append(json: #","_resourceType":"websocket","_webSocketMessages":["#)
    for (index, message) in messages.enumerated() {
      if index > 0 { writer.append(byte: UInt8(ascii: ",")) }
      append(message, to: &writer)
    }
    writer.append(byte: UInt8(ascii: "]"))
    let dropped = record.webSocketMessageCount - UInt64(messages.count)
    if dropped > 0 {
      writer.append(json: #","_webSocketMessagesDropped":"#)
      writer.append(integer: dropped)
    }
  }

  private func append(_ recorded: RecordedMessage, to writer: inout JSONWriter) {
    let message = recorded.message
    switch message.direction {
    case .toServer: writer.append(json: #"{"type":"send","time":"#)
    case .toClient: writer.append(json: #"{"type":"receive","time":"#)
    }
    // Seconds since 1970, as in Chrome.
    writer.append(unixMicroseconds: anchor.unixNanoseconds(at: message.instant) / 1_000)
    writer.append(json: #","opcode":"#)
    writer.append(integer: Int(message.opcode))
    writer.append(json: #","data":"#)
    appendData(of: recorded, to: &writer)
    writer.append(byte: UInt8(ascii: "}"))
  }

  /// Text as text, anything else in base64.
  private func appendData(of recorded: RecordedMessage, to writer: inout JSONWriter) {
    let message = recorded.message
    let isText = message.opcode == Self.textOpcode && !recorded.isRaw
    let end = isText && recorded.isCut ? recorded.bytes.span.endOfWholeCharacters : recorded.bytes.count
    if !isText || !writer.append(utf8: recorded.bytes.span.extracting(0..<end)) {
      writer.append(base64: recorded.bytes.span)
      if message.opcode == Self.textOpcode { writer.append(json: #","_encoding":"base64""#) }
    }
    if recorded.isCut {
      writer.append(json: #","_size":"#)
      writer.append(integer: message.size)
      writer.append(json: #","_truncated":true"#)
    }
    if recorded.isRaw { writer.append(json: #","_compressed":true"#) }
  }

  private static let textOpcode: UInt8 = 1
}

extension JSONWriter {
  fileprivate mutating func append(unixMicroseconds: Int64) {
    let (seconds, rest) = unixMicroseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
    append(integer: seconds)
    append(byte: UInt8(ascii: "."))
    append(padded: rest, digits: 6)
  }
}
