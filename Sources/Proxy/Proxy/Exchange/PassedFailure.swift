internal import TapelineTLS
internal import TapelineTransport

/// How a client hears of a server's failure that came before any answer.
package enum FailurePolicy: String, CaseIterable, Sendable, Hashable {
  /// The proxy answers with a page that has a status.
  case page
  /// The client's connection ends as the server's did, as it would without us.
  case connection
}

/// The end of a client's connection in the server's place.
struct PassedFailure: Hashable {
  enum Ending: Hashable {
    /// FIN: the server ended in order.
    case end
    /// RST.
    case reset
  }

  /// The end that the client sees in it.
  enum Meaning: Hashable {
    /// The end of a connection that it had kept: it may send its request again.
    case endOfKeptConnection
    /// The end of the server's new connection, or of none: nothing is sent again, although the client's connection is a kept one.
    case endOfNewConnection
    /// The client's connection is new, too.
    case end
  }

  let ending: Ending
  var meaning = Meaning.end
  /// The part of a head that came, in HTTP/1.
  var head: [UInt8] = []
}

extension TransportError {
  /// How the client's connection ends where failures are passed on. `nil`: the failure is ours, or is told in words, so that the
  /// client is answered.
  var ending: PassedFailure.Ending? {
    guard limit == nil else { return nil }
    return switch kind {
    case .permissionDenied, .addressNotAvailable: .reset
    case _ where origin == .local: nil
    case .closed, .protocolViolation, .headTooLarge, .transferCoding: .end
    case .nameNotFound, .resolverFailure, .refused, .reset, .unreachable, .timedOut, .addressInUse, .streamReset, .certificate,
      .alert, .other:
      .reset
    case .tooManyFiles, .tunnelRefused, .proxyAuthenticationRequired, .loopDetected, .destinationProhibited, .lengthRequired,
      .cancelled:
      nil
    }
  }
}

extension TransportError {
  /// Whether the origin has refused the protocols that we offered: with a better offer, the client's request may still succeed.
  var isAboutProtocols: Bool { kind == .alert(TLSAlert.noApplicationProtocol.name) }
}

extension ProxyConfiguration {
  /// How the client's connection ends because of the failure; `nil` when the client is answered.
  func passes(_ error: TransportError) -> PassedFailure? {
    switch failures {
    case .page: nil
    case .connection: error.ending.map { PassedFailure(ending: $0) }
    }
  }

  /// The status by which a client that asked for a tunnel hears that there is none. Where failures are passed on, another proxy's
  /// refusal is, too.
  func status(of error: TransportError) -> Int {
    switch failures {
    case .page: error.status
    case .connection: error.receivedStatus ?? error.status
    }
  }
}
