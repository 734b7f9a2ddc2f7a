package import TapelineHTTP
package import TapelineTime

/// The stream after a 101: bytes are counted, and the messages of a WebSocket connection are noted. It never touches a byte.
/// Loop-bound; a class, so that exchanges that are not upgraded carry no room for it.
package final class UpgradedStream {
  package private(set) var relayed = RelayedBytes()
  package private(set) var messages: [WebSocketMessage] = []
  /// When the messages came whose content is not kept, and `WebSocketMessage.figure`.
  package private(set) var others = ArrivalTimes()
  private var observers: Observers?
  /// The client sends no more.
  package private(set) var clientEnded = false
  private var firstToEnd: MessageDirection?

  private struct Observers {
    var toServer: WebSocketObserver
    var toClient: WebSocketObserver
  }

  /// - Parameter webSocketLimits: what is kept in each direction; `nil` when it is not a WebSocket connection.
  package init(webSocketLimits: WebSocketObserver.Limits?) {
    observers = webSocketLimits.map {
      Observers(toServer: WebSocketObserver(limits: $0), toClient: WebSocketObserver(limits: $0))
    }
  }

  /// All messages that have passed, kept or not.
  package var messageCount: UInt64 {
    observers.map { $0.toServer.messageCount + $0.toClient.messageCount } ?? 0
  }

  /// The side that dropped a WebSocket connection: it ended first, and without saying so (RFC 6455 7.1.5: 1006). `nil` if neither
  /// side did, or if this is not a WebSocket connection.
  package var dropper: MessageDirection? {
    guard let observers, observers.toServer.failure == nil, observers.toClient.failure == nil else { return nil }
    return messages.contains { $0.opcode == WebSocketFrame.Opcode.close.rawValue } ? nil : firstToEnd
  }

  package func clientDidEnd() {
    clientEnded = true
    if firstToEnd == nil { firstToEnd = .toServer }
  }

  package func serverDidEnd() {
    if firstToEnd == nil { firstToEnd = .toClient }
  }

  package func noteToServer(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    relayed.toServer += UInt64(bytes.count)
    observers?.toServer.receive(bytes) { note($0, .toServer, at: instant) }
  }

  package func noteToClient(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    relayed.toClient += UInt64(bytes.count)
    observers?.toClient.receive(bytes) { note($0, .toClient, at: instant) }
  }

  private func note(_ message: WebSocketObserver.Message, _ direction: MessageDirection, at instant: MonotonicInstant) {
    if message.isKept { return messages.append(WebSocketMessage(message, direction, at: instant)) }
    others.append(instant, WebSocketMessage.figure(size: message.size, opcode: message.opcode.rawValue, direction))
  }
}

extension WebSocketMessage {
  fileprivate init(_ message: WebSocketObserver.Message, _ direction: MessageDirection, at instant: MonotonicInstant) {
    self.init(
      instant: instant, direction: direction, opcode: message.opcode.rawValue, isCompressed: message.isCompressed,
      bytes: message.bytes, size: message.size)
  }
}
