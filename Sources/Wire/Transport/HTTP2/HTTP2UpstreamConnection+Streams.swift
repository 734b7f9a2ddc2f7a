internal import TapelineHTTP
internal import TapelineHTTP2
internal import TapelineTime

/// Tasks, and the streams that they become.
extension HTTP2UpstreamConnection {
  /// Carries a task: at once, or when the origin's limit of streams leaves room.
  ///
  /// - Parameter isNew: the connection was opened for this task, and has not waited.
  func begin(_ task: SessionTask, isNew: Bool = false) {
    guard case .exchange(let request) = task.work else { preconditionFailure("an HTTP/2 connection carries exchanges") }
    let isFirst = machine.begin()
    stopIdling()
    let stream = UpstreamStream(task, request, on: self, hasWaited: !isNew)
    task.carrier = stream
    describe(to: task, isFirst: isFirst)
    line.append(stream)
    openStreams()
    requestTurn()
  }

  /// Opens streams for the tasks that have waited longest, as many as the origin takes.
  ///
  /// - Parameter hasMoreRoom: there was none for them until now.
  func openStreams(hasMoreRoom: Bool = false) {
    while let stream = line.first, http.mayOpenStream {
      // Whether the origin takes an extended CONNECT is in its settings.
      if stream.request.isExtendedConnect, !machine.hasSettings { return }
      line.removeFirst()
      if hasMoreRoom { stream.task?.metrics.didWait(until: .now) }
      open(stream)
    }
    // All numbers are used: the limit is not what holds the line up.
    if !line.isEmpty, http.openStreams == 0, http.peerSettings.maxConcurrentStreams > 0, !http.mayOpenStream {
      stopTakingRequests()
    }
  }

  private func open(_ stream: UpstreamStream) {
    let request = stream.request
    if request.isExtendedConnect, !http.peerSettings.offersExtendedConnect {
      return stream.fail(.extendedConnectNotOffered)
    }
    guard
      let id = http.submitRequest(
        headerList(of: request), method: request.http2?.method ?? request.head.method, hasContent: request.hasContentInHTTP2)
    else {
      // All numbers are used, or the origin is about to go.
      line.putFirst(stream)
      return stopTakingRequests()
    }
    streams[id] = stream
    stream.open(id, knowsLimit: machine.hasSettings)
  }

  /// The lines of a request: a client's own if it speaks HTTP/2.
  private func headerList(of request: OutgoingRequest) -> HTTP2HeaderList {
    let scheme = route.security == .none ? URIScheme.http : .https
    switch request.sender {
    case .ourselves:
      return request.headerList(scheme: scheme, authority: authority)
    case .client:
      let named = request.http2?.list ?? HTTP2HeaderList(request.head, scheme: scheme, authority: authority)
      let list = request.host.map { named.naming(scheme, authority: $0) } ?? named
      guard transport.configuration.namesItself else { return list }
      return list.appending([("via", transport.configuration.pseudonym.fieldValue(received: request.head.version))])
    }
  }

  /// How a client's request is forwarded.
  func forwarding(of request: OutgoingRequest) -> RequestForwarding {
    var forwarding = RequestForwarding(framing: request.framing, version: .http2)
    forwarding.host = request.host
    forwarding.isPaired = request.connections != nil
    if transport.configuration.namesItself { forwarding.pseudonym = transport.configuration.pseudonym }
    forwarding.authority = authority
    return forwarding
  }

  // MARK: For streams

  /// There is content, or an end, after `.later`.
  func contentIsReady(on stream: HTTP2StreamID) {
    http.resume(stream)
    requestTurn()
  }

  func updatePriority(of stream: HTTP2StreamID, _ fieldValue: String) {
    http.updatePriority(of: stream, fieldValue: fieldValue)
    requestTurn()
  }

  /// The receiver has taken everything.
  func consumeAll(on stream: HTTP2StreamID) {
    let count = http.unconsumed(on: stream)
    guard count > 0 else { return }
    http.consume(count, on: stream)
    requestTurn()
  }

  /// Whether the origin can send nothing more on the stream because of its reader.
  func hasFilledWindow(of stream: HTTP2StreamID) -> Bool {
    http.unconsumed(on: stream) >= http.limits.streamWindow
  }

  /// Ends a stream of which nobody wants more, or gives up its place in the line.
  func abandon(_ stream: UpstreamStream, _ code: HTTP2ErrorCode) {
    if stream.id == 0 {
      line.remove(stream)
      endIfIdle()
    } else {
      http.reset(stream.id, code)
      requestTurn()
    }
  }

  // MARK: Events

  /// - Parameter bytes: the input in which the event's ranges lie.
  func handle(_ event: HTTP2Event, of bytes: Span<UInt8>, at instant: MonotonicInstant) {
    switch event {
    case .interim(let id, let head): streams[id]?.receiveInterim(head, at: instant)
    case .response(let id, let head, let endsStream): streams[id]?.receive(head, endsStream: endsStream, at: instant)
    case .data(let id, let range):
      guard let stream = streams[id] else { return consumeAll(on: id) }
      stream.receive(bytes.extracting(range), at: instant)
    case .trailers(let id, let trailers): streams[id]?.receive(trailers, at: instant)
    case .end(let id): streams[id]?.receiveEnd(at: instant)
    case .reset(let id, let code, let resetter): streams[id]?.receiveReset(code, by: resetter)
    case .refused(let id, let violation): streams[id]?.refuse(violation)
    case .closed(let id):
      streams[id]?.didClose()
      streams[id] = nil
      openStreams(hasMoreRoom: true)
      endIfIdle()
    case .headSent(let id, let wireSize): streams[id]?.headWasSent(wireSize: wireSize)
    case .endSent(let id): streams[id]?.endWasSent()
    case .settings:
      machine.settingsDidCome()
      tellOfExtendedConnect()
      transport.versions.note(.http2, of: route)
      openStreams(hasMoreRoom: true)
      requestTurn()
    case .settingsAcknowledged, .pong:
      break
    case .goAway(_, let code):
      requiresHTTP1 = code == .http11Required
      for stream in streams.values { stream.task?.metrics.stream?.goAway = code }
      stopTakingRequests()
    case .failed(let violation):
      failAll(violation)
    case .request, .oversizedRequest, .priority:
      preconditionFailure("a connection in the client role was told of a client")
    }
  }
}

/// Streams that wait for a place, in order.
struct StreamLine {
  /// The streams before `head` have left.
  private var streams: [UpstreamStream?] = []
  private var head = 0

  var isEmpty: Bool { head == streams.count }

  var first: UpstreamStream? { head < streams.count ? streams[head] : nil }

  mutating func append(_ stream: UpstreamStream) { streams.append(stream) }

  mutating func putFirst(_ stream: UpstreamStream) {
    if head > 0 {
      head -= 1
      streams[head] = stream
    } else {
      streams.insert(stream, at: 0)
    }
  }

  mutating func removeFirst() {
    streams[head] = nil
    head += 1
    // Constant time on average, however long the line gets.
    guard head > streams.count / 2 else { return }
    streams.removeFirst(head)
    head = 0
  }

  mutating func remove(_ stream: UpstreamStream) {
    guard let index = streams[head...].firstIndex(where: { $0 === stream }) else { return }
    streams.remove(at: index)
  }

  mutating func takeAll() -> [UpstreamStream] {
    defer {
      streams = []
      head = 0
    }
    return streams[head...].compactMap(\.self)
  }
}
