internal import TapelineCore
internal import TapelineHTTP
internal import TapelineTime

/// The stream after a 101: bytes are counted, and the messages of a WebSocket connection are noted. It never touches a byte.
/// Loop-bound; a class, so that exchanges that are not upgraded carry no room for it.
final class UpgradedStream {
  private(set) var relayed = RelayedBytes()
  private(set) var messages: [WebSocketMessage] = []
  private var observers: Observers?
  /// The client sends no more.
  private(set) var clientEnded = false
  private var firstToEnd: MessageDirection?

  private struct Observers {
    var toServer: WebSocketObserver
    var toClient: WebSocketObserver
  }

  /// - Parameter webSocketLimits: what is kept in each direction; `nil` when it is not a WebSocket connection.
  init(webSocketLimits: WebSocketObserver.Limits?) {
    observers = webSocketLimits.map {
      Observers(toServer: WebSocketObserver(limits: $0), toClient: WebSocketObserver(limits: $0))
    }
  }

  /// All messages that have passed, kept or not.
  var messageCount: UInt64 {
    observers.map { $0.toServer.messageCount + $0.toClient.messageCount } ?? 0
  }

  /// The side that dropped a WebSocket connection: it ended first, and without saying so (RFC 6455 7.1.5: 1006). `nil` if neither
  /// side did, or if this is not a WebSocket connection.
  var dropper: MessageDirection? {
    guard let observers, observers.toServer.failure == nil, observers.toClient.failure == nil else { return nil }
    return messages.contains { $0.opcode == WebSocketFrame.Opcode.close.rawValue } ? nil : firstToEnd
  }

  func clientDidEnd() {
    clientEnded = true
    if firstToEnd == nil { firstToEnd = .toServer }
  }

  func serverDidEnd() {
    if firstToEnd == nil { firstToEnd = .toClient }
  }

  func noteToServer(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    relayed.toServer += UInt64(bytes.count)
    observers?.toServer.receive(bytes) { messages.append(WebSocketMessage($0, .toServer, at: instant)) }
  }

  func noteToClient(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    relayed.toClient += UInt64(bytes.count)
    observers?.toClient.receive(bytes) { messages.append(WebSocketMessage($0, .toClient, at: instant)) }
  }
}

extension WebSocketMessage {
  fileprivate init(_ message: WebSocketObserver.Message, _ direction: MessageDirection, at instant: MonotonicInstant) {
    self.init(
      instant: instant, direction: direction, opcode: message.opcode.rawValue, isCompressed: message.isCompressed,
      bytes: message.bytes, size: message.size)
  }
}
