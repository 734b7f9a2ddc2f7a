internal import TapelineHTTP

/// The way through an upstream proxy that forwards, and what it is told of us.
extension UpstreamConnection {
  /// The next hop that gets the request, and the credentials that go with it.
  func nextHop(for request: OutgoingRequest) -> NextHop {
    guard route.isForwarding else { return .origin }
    let authorization = transport.proxyAuthorization.fieldValue(
      method: request.head.method.rawValue, uri: request.head.absoluteForm(authority: request.route.authority))
    return .proxy(authorization: authorization)
  }

  /// Whether the same request is sent again, with a better answer to the proxy's challenge (RFC 9110 15.5.8). If the request has
  /// a body, the task decides: only the task can begin the body anew.
  func answersProxyChallenge(_ head: ResponseHead, of task: SessionTask) -> Bool {
    guard case .exchange(let request) = task.work, task.exchangeAttempts < ProxyAuthorization.challengeLimit,
      transport.proxyAuthorization.learn(from: head, answered: machine.exchange?.isAuthorized ?? false)
    else { return false }
    switch request.framing {
    case .none, .length(0):
      _ = machine.decide(.repeat(request, redirected: false))
      return true
    case .length, .chunked, .untilClose:
      task.proxyChallengeIsAnswerable = true
      return false
    }
  }

  /// Returns `false` for the process's own requests: they get the 407 itself, since their makers know of the proxy.
  func isForClient(_ task: SessionTask) -> Bool {
    switch task.work {
    case .exchange(let request): request.sender == .client
    case .stream: false
    }
  }

  /// A client would think that we ask for its credentials, and would tell us. It does not know the users of the upstream proxy.
  func failForWantOfCredentials(_ head: ResponseHead, of task: SessionTask) {
    let refusal: ProxyAuthorization.Refusal =
      task.proxyChallengeIsAnswerable ? .tooLate : transport.proxyAuthorization.refusal(of: head)
    fail(.proxyAuthenticationRequired(refusal, in: .receive))
  }
}
