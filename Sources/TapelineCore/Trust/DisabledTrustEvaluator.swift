/// Trusts every server. The connection is protected against attackers who only listen, and against nobody else.
public struct DisabledTrustEvaluator: ServerTrustEvaluating {
  /// Makes an evaluator.
  public init() {}

  /// Does nothing.
  public func evaluate(_ trust: ServerTrust, forHost host: String) {}
}
