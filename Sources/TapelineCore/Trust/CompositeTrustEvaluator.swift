/// Trusts servers that all of its evaluators trust.
public struct CompositeTrustEvaluator: ServerTrustEvaluating {
  private let evaluators: [any ServerTrustEvaluating]

  /// - Parameter evaluators: asked in this order; the first that throws decides.
  public init(evaluators: [any ServerTrustEvaluating]) {
    self.evaluators = evaluators
  }

  /// Whether one of them asks for it.
  public var needsStapledResponse: Bool { evaluators.contains { $0.needsStapledResponse } }

  /// Throws the error of the first evaluator that throws.
  public func evaluate(_ trust: ServerTrust, forHost host: String) throws {
    for evaluator in evaluators { try evaluator.evaluate(trust, forHost: host) }
  }
}
