/// Trusts everybody. A connection to such a server is protected against those who only listen, and against nobody else.
public struct DisabledTrustEvaluator: ServerTrustEvaluating {
  /// Makes one.
  public init() {}

  /// Does nothing.
  public func evaluate(_ trust: ServerTrust, forHost host: String) {}
}
