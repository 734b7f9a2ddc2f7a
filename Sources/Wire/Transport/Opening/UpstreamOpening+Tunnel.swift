internal import TapelineBase
internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineTime

/// A tunnel through the upstream proxy, for what it must not see.
extension UpstreamOpening {
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
    tunnelWasAskedFor(by: task)
  }

  private func tunnelWasAskedFor(by task: SessionTask) {
    marks.stamp(.proxyConnectStart, at: .now)
    task.metrics.marks.adopt(.proxyConnectStart ... .proxyConnectEnd, from: marks)
    wait(connectTimeout)
  }

  // MARK: SOCKS

  /// Asks for a tunnel by SOCKS5 (RFC 1928).
  func beginSOCKS(with proxy: UpstreamProxy) {
    guard let link, let task else { return }
    machine.requestTunnel(isAuthorized: proxy.credential != nil)
    guard let handshake = SOCKSHandshake(host: route.host, port: route.port, credential: proxy.credential) else {
      return fail(.tooLongForSOCKS(route))
    }
    link.write(handshake.greeting)
    socks = consume handshake
    tunnelWasAskedFor(by: task)
  }

  func receiveSOCKS(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    socks?.receive(bytes)
    while let step = socks?.next() {
      switch step {
      case .wait: return
      case .send(let bytes): link?.write(bytes)
      case .open(let rest): return tunnelDidOpen(early: rest.span, at: instant)
      case .fail(let failure): return fail(.tunnelRefused(failure, to: route, hadCredential: machine.tunnelIsAuthorized))
      }
    }
  }

  // MARK: CONNECT

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
          guard machine.tunnelAttempts < ProxyAuthorization.challengeLimit,
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
    let awaited = awaited.take()
    end()
    let successor = UpstreamOpening(
      route: route, throughProxy: leadsToProxy, transport: transport, tunnelAttempts: machine.tunnelAttempts)
    successor.awaited = awaited
    successor.connect(for: task)
  }

  /// From here on the connection belongs to the origin.
  private func tunnelDidOpen(early: Span<UInt8>, at instant: MonotonicInstant) {
    guard let task, let link, case .plain(let channel) = link else { return }
    marks.stamp(.proxyConnectEnd, at: instant)
    task.metrics.marks.adopt(.proxyConnectStart ... .proxyConnectEnd, from: marks)
    guard !early.isEmpty else { return goOn(task, over: channel) }
    guard speaksFirst(task) else { return fail(.bytesBeforeTunnel) }
    stand(for: task, hasWaited: false)?.receiveStream(early, at: instant)
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
