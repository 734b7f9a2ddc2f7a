internal import TapelineTLS
internal import TapelineTime

/// The tasks that wait for the connection, and HTTP/2, which carries them all.
extension UpstreamOpening {
  // MARK: Those who wait

  /// From here on the other tasks of the store wait to know whether this connection will carry them.
  func beginAwaiting(for task: SessionTask) {
    guard awaited == nil, let store, case .exchange(let request) = task.work, transport.sharesConnection(task, request) else {
      return
    }
    let offered = transport.protocolsToOffer(for: task, request, to: route, following: clientHandshake) ?? []
    guard route.security == .none || offered.contains(.http2), store.shared.beginOpening(request.route) else { return }
    awaited = store
  }

  /// Returns the tasks that have waited.
  ///
  /// - Parameter isSingle: the origin has chosen HTTP/1.1; `nil` if it chose nothing.
  func endAwaiting(isSingle: Bool? = nil) -> [SessionTask] {
    awaited.take()?.shared.endOpening(route, isSingle: isSingle) ?? []
  }

  /// Fails all of them: a reason that keeps this connection from being opened would stop the next one, too.
  func failWaiting(_ tasks: [SessionTask], _ error: TransportError) {
    for task in tasks where task.isUnderWay {
      task.metrics.handshake = handshake
      task.evaluationFailure = evaluationFailure
      task.complete(with: blamed(error))
    }
  }

  // MARK: HTTP/2

  /// The handshake has agreed on HTTP/2, or the client speaks it in clear.
  func becomeShared(for task: SessionTask, isNew: Bool) {
    guard let connection = handOverAsShared() else { return }
    begin(task, on: connection, isNew: isNew)
  }

  /// The same ahead of any task. The origin speaks first: its settings are read and acknowledged now.
  func prepareShared() {
    shared = handOverAsShared()
    shared?.onUnused = { [weak self] event in
      switch event {
      case .settings(let offersExtendedConnect): self?.onEvent?(.settings(offersExtendedConnect: offersExtendedConnect))
      case .ended(let error, let lacksCertificate): self?.endPrepared(error, lacksCertificate: lacksCertificate)
      }
    }
  }

  /// The same in clear, for a client that speaks HTTP/2 by prior knowledge (RFC 9113 3.3).
  func prepareSharedInClear() {
    guard transport.configuration.speaksHTTP2, machine.isPrepared, route.security == .none else { return }
    prepareShared()
    let input = returnedInput
    returnedInput = []
    if !input.isEmpty { shared?.channelDidReceive(input.span, at: .now) }
  }

  private func handOverAsShared() -> HTTP2UpstreamConnection? {
    handOver().map { HTTP2UpstreamConnection($0, transport: transport) }
  }

  /// Puts the first task on `connection`, and those that have waited. From here on this object is done.
  func begin(_ task: SessionTask, on connection: HTTP2UpstreamConnection, isNew: Bool) {
    guard case .exchange(let request) = task.work else { preconditionFailure("HTTP/2 is agreed on for exchanges") }
    let waiting = endAwaiting(isSingle: false)
    end()
    connection.enter(transport.store(of: request))
    if connection.takesRequests, !request.needsHTTP1, task.offer != .http1 {
      connection.begin(task, isNew: isNew)
    } else {
      // A connection that was prepared serves the requests after this one, if its origin has not gone away already.
      task.carrier = nil
      transport.open(for: task)
    }
    for other in waiting { transport.reconsider(other) }
  }
}
