internal import TapelineCoding
internal import TapelineCore
internal import TapelineHAR
internal import TapelineHTTP
internal import TapelineRedaction
internal import TapelineBase
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
  func append(
    _ messages: [RecordedMessage], of record: ExchangeRecord, from start: MonotonicInstant?, to writer: inout JSONWriter
  ) {
    guard record.webSocketMessageCount > 0 else { return }
    writer.append(member: .resourceType)
    writer.append(json: #""websocket""#)
    writer.append(member: .webSocketMessages)
    append(messages, to: &writer) { recorded, writer in
      append(recorded.message.direction, at: recorded.message.instant, to: &writer)
      writer.append(json: #","opcode":"#)
      writer.append(integer: Int(recorded.message.opcode))
      writer.append(json: #","data":"#)
      appendData(of: recorded, to: &writer)
    }
    let dropped = record.webSocketMessageCount - UInt64(messages.count)
    if dropped > 0 {
      writer.append(member: .webSocketMessagesDropped)
      writer.append(integer: dropped)
    }
    guard !record.arrivals.isEmpty, let start else { return }
    writer.append(member: .webSocketRest)
    append(messages: record.arrivals, markBits: 5, from: start, to: &writer)
  }

  /// Appends a list of messages, each with what `members` appends.
  func append<Message>(
    _ messages: [Message], to writer: inout JSONWriter, members: (Message, inout JSONWriter) -> Void
  ) {
    writer.append(byte: UInt8(ascii: "["))
    for (index, message) in messages.enumerated() {
      writer.append(json: index > 0 ? ",{" : "{")
      members(message, &writer)
      writer.append(byte: UInt8(ascii: "}"))
    }
    writer.append(byte: UInt8(ascii: "]"))
  }

  /// Appends the first members of a message in Chrome's form. The time is in seconds since 1970.
  func append(_ direction: MessageDirection, at instant: MonotonicInstant, to writer: inout JSONWriter) {
    switch direction {
    case .toServer: writer.append(json: #""type":"send","time":"#)
    case .toClient: writer.append(json: #""type":"receive","time":"#)
    }
    writer.append(millionths: anchor.unixNanoseconds(at: instant) / 1_000)
  }

  /// Text as text, anything else in base64.
  private func appendData(of recorded: RecordedMessage, to writer: inout JSONWriter) {
    let message = recorded.message
    let isText = message.opcode == Self.textOpcode && !recorded.isRaw
    let end = isText && recorded.isCut ? recorded.bytes.span.endOfWholeCharacters : recorded.bytes.count
    if !isText || !writer.append(utf8: recorded.bytes.span.extracting(0..<end)) {
      writer.append(base64: recorded.bytes.span)
      if message.opcode == Self.textOpcode {
        writer.append(member: .encoding)
        writer.append(json: #""base64""#)
      }
    }
    if recorded.isCut {
      writer.append(member: .size)
      writer.append(integer: message.size)
      writer.append(member: .truncated)
      writer.append(json: #"true"#)
    }
    if recorded.isRaw {
      writer.append(member: .compressed)
      writer.append(json: #"true"#)
    }
  }

  private static let textOpcode: UInt8 = 1
}

/// Undoes permessage-deflate for the messages of one connection, given in the order in which they came (RFC 7692, 7.2.2).
private struct MessageInflater {
  private var toServer: Window?
  private var toClient: Window?
  /// The remaining limit in bytes of output, for all messages together.
  private var room: Int

  /// One direction's decompressor.
  private struct Window {
    let inflater = Inflater()
    /// Whether each message begins with an empty window.
    let forgets: Bool
    /// Set after a missing or invalid message: later references to earlier data are meaningless.
    var isLost = false
  }

  init(_ compression: MessageCompression?, limit: Int) {
    room = limit
    guard let compression else { return }
    toServer = Window(forgets: compression.clientForgets)
    toClient = Window(forgets: compression.serverForgets)
  }

  /// The payload of a compressed message; `nil` when it cannot be determined.
  mutating func inflate(_ message: WebSocketMessage) -> DecodingStep? {
    let direction: WritableKeyPath<Self, Window?> =
      switch message.direction {
      case .toServer: \.toServer
      case .toClient: \.toClient
      }
    guard let window = self[keyPath: direction], !window.isLost else { return nil }
    if window.forgets { window.inflater.resetWindow() }
    let isCut = message.size > UInt64(message.bytes.count)
    let step = window.inflater.inflateMessage(message.bytes.span, limit: room)
    if isCut || step.end != .complete { self[keyPath: direction]?.isLost = !window.forgets }
    if case .wrong = step.end { return nil }
    room -= step.bytes.count
    return step
  }
}
