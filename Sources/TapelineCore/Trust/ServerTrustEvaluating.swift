/// Decides whether a server is to be trusted, in place of the session's own check against its ``TrustRoots``.
///
/// An evaluator is asked in every handshake, full or resumed, before the server gets a byte of a request and before it gets the
/// client's certificate.
public protocol ServerTrustEvaluating: Sendable {
  /// Whether the server is asked to staple its authority's statement about revocation (RFC 6066 8). Without this,
  /// ``ServerTrust/stapledResponse`` is `nil`. The default is no.
  var needsStapledResponse: Bool { get }

  /// Throws unless the server is to be trusted.
  ///
  /// Called on the session's event loop, where nothing else happens until it returns: it must not wait, neither for a disk nor
  /// for a network. An error that is not a `TapelineError` becomes `customEvaluationFailed`.
  func evaluate(_ trust: ServerTrust, forHost host: String) throws
}

extension ServerTrustEvaluating {
  /// No.
  public var needsStapledResponse: Bool { false }
}
