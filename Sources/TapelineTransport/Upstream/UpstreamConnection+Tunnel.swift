internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineText
internal import TapelineTime

/// The way through an upstream proxy: tunnels for requests that it must not see, and what it is told of us.
extension UpstreamConnection {
  /// Challenges in a row that are answered; stale nonces count.
  private static let challengeLimit = 3

  // MARK: Forwarding

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
    guard case .exchange(let request) = task.work, task.exchangeAttempts < Self.challengeLimit,
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

  /// Answers `false` for the process's own requests: they get the 407 itself, since their makers know of the proxy.
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

  // MARK: Tunnels

  /// Asks for a tunnel to the route's origin (RFC 9110 9.3.6). The proxy is told no more than it must know.
  func requestTunnel() {
    guard let link, let task else { return }
    let authority = route.tunnelAuthority
    let authorization = transport.proxyAuthorization.fieldValue(method: HTTPMethod.connect.rawValue, uri: authority)
    machine.requestTunnel(isAuthorized: authorization != nil)
    http.expectResponse(to: .connect)
    link.withOutput { output in
      output.append(contentsOf: "CONNECT \(authority) HTTP/1.1\r\n".utf8)
      HeadSerializer.appendField(name: FieldName.host.spelling, value: authority, into: &output)
      NextHop.proxy(authorization: authorization).appendAuthorization(into: &output)
      appendVia(of: task, into: &output)
      HeadSerializer.appendEnd(into: &output)
    }
    setUp?.marks.stamp(.proxyConnectStart, at: .now)
    if let marks = setUp?.marks { task.metrics.marks.adopt(.proxyConnectStart ... .proxyConnectEnd, from: marks) }
    wait(connectTimeout)
  }

  /// A CONNECT for a client has a `Via` field, so that it cannot go round in circles (RFC 9110 7.6.3).
  private func appendVia(of task: SessionTask, into output: inout [UInt8]) {
    switch task.work {
    case .stream(_, on: _, let via):
      for value in via { HeadSerializer.appendField(name: FieldName.via.spelling, value: value, into: &output) }
    case .exchange(let request):
      switch request.sender {
      case .client:
        let value = transport.configuration.pseudonym.fieldValue(received: request.head.version)
        HeadSerializer.appendField(name: FieldName.via.spelling, value: value, into: &output)
      case .ourselves:
        break
      }
    }
  }

  func receiveTunnelResponse(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    var offset = 0
    do throws(HTTPParseError) {
      while let event = try http.receive(bytes, from: &offset) {
        switch event {
        case .responseHead(let head) where HTTPStatus.isSuccessful(head.status):
          return tunnelDidOpen(early: bytes.extracting(droppingFirst: offset), at: instant)
        case .responseHead(let head):
          guard head.status == 407 else { return fail(.tunnelRefused(head, to: route)) }
          guard machine.tunnelAttempts < Self.challengeLimit,
            transport.proxyAuthorization.learn(from: head, answered: machine.tunnelIsAuthorized)
          else {
            return fail(.proxyAuthenticationRequired(transport.proxyAuthorization.refusal(of: head), in: .connect))
          }
          machine.tunnelWasChallenged()
        case .informational, .body, .trailers:
          break
        case .end:
          return http.mayPersist && offset == bytes.count ? requestTunnel() : requestTunnelElsewhere()
        case .requestHead:
          preconditionFailure("a connection in the client role read a request")
        }
      }
    } catch {
      fail(TransportError(origin: .upstream, phase: .connect, kind: .protocolViolation, message: error.message))
    }
  }

  /// The proxy closes the connection on which it challenged us: another connection takes its place.
  func requestTunnelElsewhere() {
    guard let task else { return }
    self.task = nil
    let opening = setUp?.opening.take()
    close()
    let successor = UpstreamConnection(
      route: route, throughProxy: leadsToProxy, transport: transport, tunnelAttempts: machine.tunnelAttempts)
    successor.setUp?.opening = opening
    successor.connect(for: task)
  }

  /// From here on the connection belongs to the origin.
  private func tunnelDidOpen(early: Span<UInt8>, at instant: MonotonicInstant) {
    guard let task, let link, case .plain(let channel) = link else { return }
    setUp?.marks.stamp(.proxyConnectEnd, at: instant)
    if let marks = setUp?.marks { task.metrics.marks.adopt(.proxyConnectStart ... .proxyConnectEnd, from: marks) }
    http = HTTP1Connection(role: .client, limits: transport.configuration.limits)
    guard early.isEmpty || speaksFirst(task) else { return fail(.bytesBeforeTunnel) }
    begin(task, over: channel)
    if !early.isEmpty { receiveStream(early, at: instant) }
  }

  /// Whether the server may send before it is asked: not in HTTP, and not in TLS.
  private func speaksFirst(_ task: SessionTask) -> Bool {
    switch task.work {
    case .exchange: false
    case .stream: route.security == .none
    }
  }
}

extension Route {
  /// Host and port, as CONNECT names them: the port is never left out (RFC 9112 3.2.3).
  fileprivate var tunnelAuthority: String {
    Authority.text(host: host, port: port)
  }
}

/// Bytes both ways, not looked at, with half-close in each direction: a tunnel, or the stream after a 101.
extension UpstreamConnection {
  func beginStream(of task: SessionTask) {
    machine.beginStream()
    task.didOpenStream()
  }

  /// The origin has switched protocols (RFC 9110 7.8); the bytes of `early` came after its head.
  func becomeStream(of task: SessionTask, early: Span<UInt8>, at instant: MonotonicInstant) {
    machine.beginStream()
    wait(nil)
    task.didUpgrade()
    if !early.isEmpty { deliver(early, at: instant) }
  }

  func receiveStream(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    task?.metrics.bytesReceived += UInt64(bytes.count)
    deliver(bytes, at: instant)
  }

  private func deliver(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    // The first callback may have cancelled the task.
    guard machine.isStreaming, let task, let link else { return }
    task.metrics.marks.stamp(.responseFirstByte, at: instant)
    task.metrics.marks.move(.responseLastByte, to: instant)
    if task.didReceive(bytes, at: instant) == .pause { link.pauseReading() }
    guard machine.isStreaming else { return }
    forwardMore(of: task, on: link, after: bytes.count, atMost: nil)
  }

  func send(_ bytes: Span<UInt8>) -> Demand {
    guard machine.isStreaming, let link else { return .more }
    link.write(bytes)
    return link.isAboveHighWater ? .pause : .more
  }

  func finishSending() {
    guard machine.endStreamOutput() else { return }
    if task?.omitsCloseNotify == true { link?.omitCloseNotify() }
    link?.shutdownOutput()
    endStreamIfComplete()
  }

  func endStreamIfComplete() {
    guard machine.streamIsComplete, let task, let link else { return }
    measure()
    machine.close()
    self.task = nil
    link.closeAfterFlush()
    task.complete(with: nil)
  }
}
