internal import TapelineHTTP

/// What one upstream proxy is told of us, and what its challenges have taught. Loop-bound: one per transport.
final class ProxyAuthorization {
  private var responder: ChallengeResponder?

  init(_ credential: Credential?) {
    // Before it asks, as every client does: most proxies know nothing else, and a CONNECT less is a round trip less.
    responder = credential.map { .preemptiveBasic($0) }
  }

  /// What `Proxy-Authorization` says.
  func fieldValue(method: String, uri: String) -> String? {
    responder?.fieldValue(method: method, uri: uri)
  }

  /// Why a 407 is the end.
  enum Refusal: Hashable {
    /// We were given nothing to say.
    case unknown
    /// What we said is not right.
    case refused
    /// It is asked in no way that we know, but in these.
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
