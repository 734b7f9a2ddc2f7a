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

  /// Learns from a 407. Answers whether the request can be answered better now.
  func learn(from head: ResponseHead, answered: Bool) -> Bool {
    guard var learned = responder else { return false }
    let isBetter = learned.learn(AuthenticationChallenge.challenges(in: head.fields, from: .proxy), answered: answered)
    responder = learned
    return isBetter
  }
}
