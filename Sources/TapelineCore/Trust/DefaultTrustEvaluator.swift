/// Trusts servers that the session's roots vouch for, as without any evaluator; the check of the host can be left out.
public struct DefaultTrustEvaluator: ServerTrustEvaluating {
  private let validateHost: Bool

  /// - Parameter validateHost: whether the certificate must be for the host.
  public init(validateHost: Bool = true) {
    self.validateHost = validateHost
  }

  /// Throws unless the chain leads to one of the session's roots, and the certificate is for `host`.
  public func evaluate(_ trust: ServerTrust, forHost host: String) throws {
    if validateHost { try trust.performValidation(forHost: host) }
    try trust.performDefaultValidation(forHost: host)
  }
}
