internal import TapelineTLS
internal import TapelineBase

/// Selects the evaluator that decides about a host.
///
/// A host without an evaluator is refused, or left to the session's own check against its ``TrustRoots``, as
/// `allHostsMustBeEvaluated` says.
///
/// Safety: `@unchecked Sendable` because a class that may be subclassed cannot be `Sendable`; every stored property is a
/// constant.
open class ServerTrustManager: @unchecked Sendable {
  /// Whether a host without an evaluator is refused.
  public let allHostsMustBeEvaluated: Bool
  /// The evaluators by host, as they were given.
  public let evaluators: [String: any ServerTrustEvaluating]
  private let patterns: HostPatterns<any ServerTrustEvaluating>

  /// - Parameters:
  ///   - allHostsMustBeEvaluated: whether a host without an evaluator is refused.
  ///   - evaluators: by host, as in `api.example.com` or `192.0.2.1`; by domain, as in `*.example.com`, which matches all
  ///     hosts below it at any depth, but not the domain itself; or for all others by `*`. A host's own evaluator comes
  ///     first, then that of the longest domain. Case does not matter.
  public init(allHostsMustBeEvaluated: Bool = true, evaluators: [String: any ServerTrustEvaluating]) {
    self.allHostsMustBeEvaluated = allHostsMustBeEvaluated
    self.evaluators = evaluators
    patterns = HostPatterns(evaluators)
  }

  /// The evaluator for `host`; `nil` if the session's own check suffices.
  ///
  /// - Throws: `TapelineError.serverTrustEvaluationFailed(reason: .noRequiredEvaluator)`.
  open func serverTrustEvaluator(forHost host: String) throws -> (any ServerTrustEvaluating)? {
    guard let evaluator = patterns[host] else {
      if allHostsMustBeEvaluated { throw TapelineError.serverTrust(.noRequiredEvaluator(host: host)) }
      return nil
    }
    return evaluator
  }

  /// The evaluator for `host`, as a connection asks it; an error of a subclass is the library's for want of an evaluator.
  final func evaluator(forHost host: String) throws(TapelineError) -> (any ServerTrustEvaluating)? {
    do {
      return try serverTrustEvaluator(forHost: host)
    } catch {
      throw error.asTapelineError(or: .serverTrust(error))
    }
  }

  final func peerEvaluator(forHost host: String) throws(TapelineError) -> PeerEvaluator? {
    guard let evaluator = try evaluator(forHost: host) else { return nil }
    return PeerEvaluator(needsStapledResponse: evaluator.needsStapledResponse) { peer in
      PeerRefusal { try evaluator.evaluate(ServerTrust(peer), forHost: peer.serverName) }
    }
  }
}

/// A session's delegate is asked first, then everything else that decides.
struct OverriddenTrust: Sendable {
  let override: @Sendable (ServerTrust) -> ServerTrustDisposition
  let manager: ServerTrustManager?

  func peerEvaluator(forHost host: String) -> PeerEvaluator {
    let evaluator = Result { () throws(TapelineError) in try manager?.evaluator(forHost: host) }
    let needsStapledResponse = (evaluator.value ?? nil)?.needsStapledResponse ?? false
    return PeerEvaluator(needsStapledResponse: needsStapledResponse) { peer in
      let trust = ServerTrust(peer)
      return PeerRefusal {
        switch override(trust) {
        case .trust: break
        case .performDefaultHandling: try (evaluator.get() ?? DefaultTrustEvaluator()).evaluate(trust, forHost: peer.serverName)
        case .refuse: throw TapelineError.serverTrust(.trustEvaluationFailed(error: nil))
        }
      }
    }
  }
}

extension PeerRefusal {
  /// `nil` unless `evaluate` throws.
  fileprivate init?(_ evaluate: () throws -> Void) {
    do {
      try evaluate()
      return nil
    } catch {
      self.init(cause: TapelineError.serverTrust(error))
    }
  }

  private init(cause: TapelineError) {
    let problem = if case .serverTrustEvaluationFailed(let reason) = cause { reason.problem } else { ServerTrustProblem?.none }
    self.init(cause: cause, problem: problem?.kind.certificateProblem, message: "\(cause)")
  }
}
