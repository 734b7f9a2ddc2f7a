internal import TapelineCore
internal import TapelineTLS
internal import TapelineTransport

/// A failure, in the words of curl's trace.
struct CurlFailure: Equatable {
  let kind: TransportError.Kind
  /// The phase, if the words tell it; otherwise it is that in which the exchange was.
  let phase: ExchangeRecord.Phase?
  let text: String
  /// Whether curl may go on, with another address.
  let isPassing: Bool

  private struct Phrase {
    let text: String
    let kind: TransportError.Kind
    var phase: ExchangeRecord.Phase?
    var isPassing = false
  }

  /// The more telling phrases come first.
  private static let phrases = [
    Phrase(text: "Could not resolve ", kind: .nameNotFound, phase: .dns),
    Phrase(text: "Resolving timed out", kind: .timedOut, phase: .dns),
    Phrase(text: "failed: Connection refused", kind: .refused, phase: .connect, isPassing: true),
    Phrase(text: "failed: Network is unreachable", kind: .unreachable, phase: .connect, isPassing: true),
    Phrase(text: "failed: No route to host", kind: .unreachable, phase: .connect, isPassing: true),
    Phrase(text: "Immediate connect fail", kind: .unreachable, phase: .connect, isPassing: true),
    Phrase(text: "Failed to connect to ", kind: .refused, phase: .connect),
    Phrase(text: "Connection timed out", kind: .timedOut),
    Phrase(text: "Operation timed out", kind: .timedOut),
    Phrase(text: "SSL connection timeout", kind: .timedOut, phase: .tls),
    Phrase(text: "SSL certificate problem", kind: .certificate(.other("")), phase: .tls),
    Phrase(text: "SSL: no alternative certificate subject name", kind: .certificate(.hostMismatch), phase: .tls),
    Phrase(text: "server certificate verification failed", kind: .certificate(.other("")), phase: .tls),
    Phrase(text: "TLS connect error", kind: .protocolViolation, phase: .tls),
    Phrase(text: "SSL_ERROR_SYSCALL", kind: .reset, phase: .tls),
    Phrase(text: "Connection reset by peer", kind: .reset),
    Phrase(text: "Connection was reset", kind: .reset),
    Phrase(text: "Empty reply from server", kind: .closed),
    Phrase(text: "transfer closed with ", kind: .closed),
    Phrase(text: "was not closed cleanly", kind: .closed),
    Phrase(text: "Recv failure", kind: .closed),
    Phrase(text: "Send failure", kind: .closed),
    Phrase(text: "Received HTTP/0.9 when not allowed", kind: .protocolViolation, phase: .wait),
    Phrase(text: "Illegal or missing hexadecimal sequence", kind: .protocolViolation, phase: .receive),
  ]

  /// `nil` for text that tells of no failure.
  init?(_ text: Substring) {
    guard let phrase = Self.phrases.first(where: { text.contains($0.text) }) else { return nil }
    kind = phrase.kind
    phase = phrase.phase
    isPassing = phrase.isPassing
    self.text = "curl: \(text.trimmingBlanks)"
  }

  /// - Parameter current: the phase in which the exchange was.
  func failure(in current: ExchangeRecord.Phase) -> ExchangeRecord.Failure {
    ExchangeRecord.Failure(origin: .upstream, phase: phase ?? current, kind: .transport(kind), message: text)
  }
}
