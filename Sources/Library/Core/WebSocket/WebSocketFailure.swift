public import FoundationEssentials
internal import TapelineHTTP

/// Why a WebSocket connection could not be opened, or broke. It is the error in `TapelineError.sessionTaskFailed`, and so its
/// `underlyingError`.
public enum WebSocketFailure: Error, Hashable, Sendable {
  /// The server did not switch protocols; its answer had this status.
  case refused(status: Int)
  /// The server's answer breaks the rules of the handshake (RFC 6455 4.1).
  case invalidHandshake(String)
  /// The server's bytes break the rules of RFC 6455 5 or RFC 7692.
  case protocolViolation(String)
  /// A message is longer than `Configuration.maximumMessageSize`.
  case messageTooLong
  /// The connection ended without a close (1006).
  case closedWithoutNotice
  /// The server did not answer a ping before the next one was due.
  case pingTimedOut

  init(_ error: WebSocketError) {
    self = error == .tooLong ? .messageTooLong : .protocolViolation("\(error)")
  }
}

extension WebSocketFailure: LocalizedError, CustomStringConvertible {
  /// A sentence for people.
  public var description: String {
    switch self {
    case .refused(let status): "the server answered with status \(status) instead of opening a WebSocket connection"
    case .invalidHandshake(let reason): "the WebSocket handshake failed: \(reason)"
    case .protocolViolation(let rule): "the server broke a rule of WebSocket: \(rule)"
    case .messageTooLong: "the server sent a message that is longer than allowed"
    case .closedWithoutNotice: "the WebSocket connection ended without a close"
    case .pingTimedOut: "the server did not answer a ping"
    }
  }

  /// As `description`.
  public var errorDescription: String? { description }
}
