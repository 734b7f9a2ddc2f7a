internal import TapelineLoop
internal import TapelineTLS
internal import TapelineTime

/// A connection that stands, or is secured, ahead of the task that will use it.
extension UpstreamOpening {
  /// Whether a task can still have the connection, or the reason why it cannot be used.
  var isPrepared: Bool {
    task == nil && machine.awaitsFirstTask
  }

  func secureEarly(serverName: String, following handshake: ClientHandshake?, offering offer: [ApplicationProtocol]?) {
    guard machine.isPrepared, let link, case .plain(let channel) = link else { return }
    clientHandshake = handshake
    earlyOffer = offer
    route = route.secured(serverName: serverName)
    secure(channel, serverName: serverName)
  }

  func abandonPrepared() {
    guard isPrepared else { return }
    onEvent = nil
    end()
  }

  /// The first task takes the connection.
  func beginPrepared(_ task: SessionTask) {
    precondition(route.leadsTo(task.route), "a prepared connection is used for where it leads")
    carry(task)
    onEvent = nil
    task.metrics.marks.adopt(.queued ... .tlsEnd, from: marks)
    switch machine.use() {
    case .begin:
      wait(nil)
      if let connection = shared.take() { return begin(task, on: connection, isNew: false) }
      guard route != task.route else {
        stand(for: task, hasWaited: true)
        return
      }
      guard let link, case .plain(let channel) = link, case .tls(let serverName) = task.route.security else {
        preconditionFailure("a route that was in clear, and is another, has TLS")
      }
      route = task.route
      beginAwaiting(for: task)
      secure(channel, serverName: serverName)
    case .awaitHandshake:
      beginAwaiting(for: task)
      wait(connectTimeout)
    case .fail(let error):
      if let offer = betterOffer(for: task) { return startOver(task, offering: offer) }
      task.evaluationFailure = evaluationFailure
      end()
      task.complete(with: error)
    }
  }

  /// The origin has ended the connection ahead of any task.
  ///
  /// - Parameters:
  ///   - error: how it ended; `nil`: the origin spoke before it was asked.
  ///   - lacksCertificate: whether the origin had asked for a certificate, and got none; `nil`: the link knows.
  func endPrepared(_ error: TransportError?, lacksCertificate: Bool? = nil) {
    let lacksCertificate = lacksCertificate ?? link?.lacksCertificate ?? false
    let error = lacksCertificate ? error?.afterMissingCertificate : error
    end()
    // An alert is not the end that a client may expect of a connection without a request: its first request is told.
    if let error, error.demandsCertificate || error.brokeTLS { return machine.refuse(error) }
    // The client's request goes out on a connection with a better offer.
    refusedHTTP1 = transport.noteRefusalOfHTTP1(to: route, offered: offered, handshake)
    if !refusedHTTP1 { onEvent?(.peerDidEnd) }
  }
}
