internal import TapelineHTTP

/// Our credentials for one upstream proxy, and what its challenges have taught. Loop-bound: one per transport.
final class ProxyAuthorization {
  /// Challenges in a row that are answered; stale nonces count.
  static let challengeLimit = 3

  private var responder: ChallengeResponder?

  init(_ credential: Credential?) {
    // Before the proxy asks, as every client does: most proxies know only Basic, and this saves a CONNECT and so a round trip.
    responder = credential.map { .preemptiveBasic($0) }
  }

  /// The value of `Proxy-Authorization`.
  func fieldValue(method: String, uri: String) -> String? {
    responder?.fieldValue(method: method, uri: uri)
  }

  /// Why a 407 is final.
  enum Refusal: Hashable {
    /// We were given no credentials.
    case unknown
    /// The proxy refused our credentials.
    case refused
    /// The proxy asks only for schemes that we do not know: these.
    case unspoken(String)
    /// We know the answer, and cannot send the request a second time.
    case tooLate
  }

  func refusal(of head: ResponseHead) -> Refusal {
    let schemes = AuthenticationChallenge.challenges(in: head.fields, from: .proxy).map(\.scheme)
    guard schemes.isEmpty || schemes.contains(where: { $0 == "basic" || $0 == "digest" }) else {
      return .unspoken(schemes.joined(separator: ", "))
    }
    return responder == nil ? .unknown : .refused
  }

  /// Learns from a 407. Answers whether the request can be answered better now.
  func learn(from head: ResponseHead, answered: Bool) -> Bool {
    guard var learned = responder else { return false }
    let isBetter = learned.learn(AuthenticationChallenge.challenges(in: head.fields, from: .proxy), answered: answered)
    responder = learned
    return isBetter
  }
}
