internal import TapelineLoop
internal import TapelineSystem
internal import TapelineTime

/// TCP, to the origin or to the upstream proxy.
extension UpstreamOpening {
  func connect(for task: SessionTask) {
    carry(task)
    beginAwaiting(for: task)
    if let silence = task.timeouts?.request { wait(silence) }
    if let queued = task.metrics.marks[.queued] { marks.stamp(.queued, at: queued) }
    var configuration = Connector.Configuration()
    configuration.connectTimeout = connectTimeout
    let placement = transport.configuration.placement?(route)
    let connector = Connector(
      loop: loop, resolver: transport.resolver, host: placement?.host ?? proxy?.host ?? route.host,
      port: placement?.port ?? proxy?.port ?? route.port, configuration: configuration,
      admits: placement == nil ? admits : nil)
    machine.connect()
    self.connector = connector
    connector.start { [self] result, marks in connected(result, marks) }
  }

  /// We were told to use the upstream proxy; it answers for the names that it looks up.
  private var admits: ((SocketAddress) -> Bool)? {
    guard proxy == nil, let prohibits = transport.configuration.prohibits else { return nil }
    return { [route] address in !prohibits(address, route) }
  }

  private func connected(_ result: consuming Connector.Result, _ connectorMarks: TimelineMarks) {
    connector = nil
    guard let task else { return }
    marks.adopt(.dnsStart ... .connectEnd, from: connectorMarks)
    task.metrics.marks.adopt(.dnsStart ... .connectEnd, from: connectorMarks)
    switch consume result {
    case .failed(let error):
      let isShared = places != nil
      let error = TransportError(error, connectingTo: proxy?.host ?? route.host)
      let waiting = endAwaiting()
      end()
      if isShared, transport.awaitsDescriptor(task, after: error) {
        for other in waiting { transport.reconsider(other) }
        return
      }
      task.complete(with: blamed(error))
      failWaiting(waiting, error)
    case .connected(let descriptor, peer: let peer, statistics: let statistics):
      places?.didConnect()
      establish(descriptor, peer: peer, statistics, for: task)
    }
  }

  private func establish(
    _ descriptor: consuming FileDescriptor, peer: SocketAddress, _ statistics: TCPStatistics?, for task: SessionTask
  ) {
    let channel = Channel(loop: loop, descriptor: descriptor, peer: peer)
    link = .plain(channel)
    info = ConnectionInfo(
      id: id, peer: peer, local: channel.localAddress, proxy: proxy?.authority,
      tcpAtConnect: statistics ?? channel.tcpStatistics())
    task.metrics.connection = info
    task.metrics.connection?.begin(on: link)
    guard !transport.configuration.refusedPeers.contains(where: { $0.covers(peer) }) else {
      return fail(.loopDetected(peer, isProxy: proxy != nil))
    }
    channel.handler = self
    channel.start()
    channel.probeWhenSilent()
    guard let proxy, !route.isForwarding else { return goOn(task, over: channel) }
    switch proxy.scheme {
    case .http: requestTunnel()
    case .socks5: beginSOCKS(with: proxy)
    }
  }

  /// Goes on once bytes reach the origin, or the proxy that forwards: with TLS if the route asks for it.
  func goOn(_ task: SessionTask, over channel: Channel) {
    switch route.security {
    case .none: stand(for: task, hasWaited: false)
    case .tls(let serverName): secure(channel, serverName: serverName)
    }
  }
}
