internal import TapelineCoding
internal import TapelineCore

/// Undoes permessage-deflate for the messages of one connection, given in the order in which they came (RFC 7692, 7.2.2).
struct MessageInflater {
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
