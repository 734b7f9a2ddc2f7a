package import TapelineHTTP
package import TapelineTime

/// One HTTP/2 connection: bytes in, events out; commands in, bytes out. It does no I/O and has no clock. Bound to the loop that
/// made it.
///
/// A server reads requests with it, a client reads responses. It yields one event at a time and calls nobody, so its owner may
/// give any command between two events. After each turn, and after `init`, take `nextOutput` and then `nextEvent`: what nghttp2
/// has done in between, the end of a stream or of the connection, comes out there.
///
/// Memory: at most one frame's events, one header list within the limits, and a bounded number of answers wait here. Content is
/// never held: received bytes stay in the caller's input, and sent bytes are pulled when there is room for them.
package struct HTTP2Connection: ~Copyable {
  package let role: HTTP2Role
  package let limits: HTTP2Limits
  private var offersExtendedConnect: Bool
  private let session: HTTP2Session
  private var frames: HTTP2FrameReader
  private var floods: HTTP2FloodGuard
  /// Only clients' late frames count: an origin's harm nobody, and would cost it all streams.
  private var lateFrames = LateFrames()
  private var priorities = PriorityFrames()
  private var streams = StreamTable<HTTP2Stream>()
  private var events: [HTTP2Event] = []
  /// The events before those, the first at the end: it is moved out, as a copy would count the references of a whole head.
  private var nextEvents: [HTTP2Event] = []
  /// Empty except inside `interpret`: only its storage is kept.
  private var signals: [HTTP2Signal] = []
  private var shutdown = Shutdown.none
  /// Streams with a priority that came before their request: RFC 9218 7.1 allows that.
  private var earlyPriorities: Set<HTTP2StreamID> = []
  private var isOver = false
  private var peerIsLeaving = false

  private enum Shutdown {
    case none
    /// We have said that we will go away, and wait until the peer must have heard it.
    case announced
    case done
  }

  /// The window of a stream before our settings are acknowledged (RFC 9113 6.9.2).
  private static let initialWindow = 65_535
  /// The ping that follows the first GOAWAY: when it is answered, the peer has read that GOAWAY.
  private static let shutdownPing: UInt64 = 0x7461_7065_6c69_6e65

  /// - Parameter offersExtendedConnect: lets clients open WebSockets (RFC 8441); servers only.
  package init(role: HTTP2Role, limits: HTTP2Limits = HTTP2Limits(), offersExtendedConnect: Bool = false) {
    self.role = role
    self.limits = limits
    self.offersExtendedConnect = offersExtendedConnect
    session = HTTP2Session(role, limits: limits)
    frames = HTTP2FrameReader(expectsPreface: role == .server)
    floods = HTTP2FloodGuard(role, limits)
    session.submitFirstSettings(role, offersExtendedConnect: offersExtendedConnect)
  }

  // MARK: Receiving

  /// The next event that is known already.
  package mutating func nextEvent() -> HTTP2Event? {
    if nextEvents.isEmpty {
      if events.count < 2 { return events.popLast() }
      swap(&events, &nextEvents)
      nextEvents.reverse()
    }
    return nextEvents.popLast()
  }

  /// The next event, of `input` if none is known already, or `nil` when all of it is used up. Moves `offset` past the bytes that
  /// were read. A range in an event is a range of this input.
  package mutating func receive(
    _ input: Span<UInt8>, from offset: inout Int, at instant: MonotonicInstant
  ) -> HTTP2Event? {
    while true {
      if let event = nextEvent() { return event }
      if isOver {
        offset = input.count
        return nil
      }
      switch frames.next(input, from: &offset) {
      case nil:
        return nil
      case .preface(let range):
        feed(input.extracting(range), at: range.lowerBound, instant)
      case .frame(let header, let range):
        let payload = range.dropFirst(HTTP2FrameHeader.size)
        if let violation = fault(of: header, at: instant) ?? fault(ofPayload: input.extracting(payload)) {
          fail(violation)
        } else {
          feed(input.extracting(range), at: range.lowerBound, instant)
        }
      case .header(let header):
        if let violation = fault(of: header, at: instant) {
          fail(violation)
        } else {
          let bytes = frames.headerBytes
          feed(bytes.span, at: 0, instant)
        }
      case .payload(let range):
        let payload = input.extracting(range)
        if let violation = fault(ofPayload: payload) {
          fail(violation)
        } else {
          feed(payload, at: range.lowerBound, instant)
        }
      }
    }
  }

  /// A frame begins. Answers why nghttp2 must not see it.
  private mutating func fault(of frame: HTTP2FrameHeader, at instant: MonotonicInstant) -> HTTP2Violation? {
    priorities.frameBegins(frame)
    if let flood = floods.frameBegins(frame, at: instant) { return .flood(flood) }
    guard role == .server else { return nil }
    return lateFrames.frameBegins(frame, isOpen: streams[frame.stream]?.isClosed == false).map { .connectionError($0) }
  }

  /// A part of its payload came. Answers the same.
  private mutating func fault(ofPayload bytes: Span<UInt8>) -> HTTP2Violation? {
    priorities.payloadCame(bytes) ? .connectionError(.protocolError) : nil
  }

  private mutating func feed(_ bytes: Span<UInt8>, at start: Int, _ instant: MonotonicInstant) {
    let violation = session.receive(bytes)
    interpret(at: instant, inputStart: start)
    if let violation { fail(violation) }
    if session.queuedFrames > limits.queuedFrames { fail(.flood(.queuedFrames)) }
  }

  private mutating func interpret(at instant: MonotonicInstant?, inputStart: Int = 0) {
    session.takeSignals(into: &signals)
    if signals.count > 1 { signals.reverse() }
    while let signal = signals.popLast() {
      if isOver { continue }
      switch signal {
      case .headers(let stream, let list, let excess, let endsStream, let overhead):
        guard let instant else { preconditionFailure("frames come only while receiving") }
        receiveHeaders(
          on: stream, list, excess, endsStream: endsStream, wireSize: floods.blockSize - overhead, at: instant)
      case .data(let stream, let range):
        receiveData(on: stream, range.lowerBound + inputStart..<range.upperBound + inputStart, at: instant)
      case .paddingAlone:
        if let instant, let flood = floods.emptyDataCame(at: instant) { fail(.flood(flood)) }
      case .dataEnd(let stream):
        receiveEnd(on: stream, at: instant)
      case .reset(let stream, let code):
        receiveReset(on: stream, code, at: instant)
      case .settings:
        events.append(.settings(session.peerSettings))
      case .settingsAcknowledged:
        events.append(.settingsAcknowledged)
      case .pong(Self.shutdownPing) where shutdown == .announced:
        completeShutdown()
      case .pong(let payload):
        events.append(.pong(payload))
      case .goAway(let last, let code):
        peerIsLeaving = true
        events.append(.goAway(last: last, code))
      case .priority(let stream, let value):
        if streams[stream] == nil, earlyPriorities.count < limits.concurrentStreams { earlyPriorities.insert(stream) }
        events.append(.priority(stream, fieldValue: value))
      case .invalidFrame:
        if let instant, let flood = floods.streamFailed(at: instant) { fail(.flood(flood)) }
      case .closed(let stream, let code):
        close(stream, code)
      case .headersSent(let stream, let wireSize, let endsStream):
        events.append(.headSent(stream, wireSize: wireSize))
        if endsStream { events.append(.endSent(stream)) }
      case .dataSent(let stream, let endsStream):
        floods.dataWasSent()
        if endsStream { events.append(.endSent(stream)) }
      case .resetSent(let stream, let code):
        // nghttp2 resets streams by itself when the peer breaks a rule.
        if streams[stream]?.isDiscarding == false {
          discard(stream)
          events.append(.refused(stream, .streamError(code)))
        }
      case .goAwaySent(let code):
        if code != .noError { fail(.connectionError(code)) }
      case .requestNotSent(let stream):
        guard streams[stream]?.isDiscarding == false else { continue }
        discard(stream)
        events.append(.reset(stream, .refusedStream, by: .unsent))
      }
    }
  }

  private mutating func receiveHeaders(
    on stream: HTTP2StreamID, _ list: HTTP2HeaderList, _ excess: HTTP2Violation.Excess?, endsStream: Bool, wireSize: Int,
    at instant: MonotonicInstant
  ) {
    if role == .server, streams[stream] == nil {
      streams[stream] = HTTP2Stream(openedAt: instant)
      floods.streamOpened()
    }
    guard var state = streams[stream], state.isRead else { return }
    if let excess, role == .server, state.expectsHead {
      state.stopReading()
      streams[stream] = state
      let method = list.texts.first { $0.name == ":method" }?.value
      events.append(.oversizedRequest(stream, excess, method: method, endsStream: endsStream))
      if let flood = floods.streamFailed(at: instant) { fail(.flood(flood)) }
      return
    }
    do throws(HTTP2Violation) {
      if let excess { throw .tooLarge(excess) }
      do throws(HTTP2Violation.Malformation) {
        if !state.expectsHead {
          try state.checkTrailers(endsStream: endsStream)
          events.append(.trailers(stream, try HTTP2Trailers(list, wireSize: wireSize, tolerating: limits.tolerance)))
        } else if role == .server {
          let head = try HTTP2RequestHead(
            list, wireSize: wireSize, offersProtocols: offersExtendedConnect, tolerating: limits.tolerance)
          state.receive(head)
          // A promise of content that the end of the stream breaks is no request.
          if endsStream { try state.receiveEnd() }
          prioritise(stream, head)
          events.append(.request(stream, head, endsStream: endsStream))
          if endsStream { events.append(.end(stream)) }
          streams[stream] = state
          return
        } else {
          let head = try HTTP2ResponseHead(list, wireSize: wireSize)
          try state.receive(head, endsStream: endsStream, limits: limits)
          if head.isInterim {
            events.append(.interim(stream, head))
          } else {
            if endsStream { try state.receiveEnd() }
            events.append(.response(stream, head, endsStream: endsStream))
            if endsStream { events.append(.end(stream)) }
          }
          streams[stream] = state
          return
        }
      } catch {
        throw .malformed(error)
      }
    } catch {
      refuse(stream, error, at: instant)
      return
    }
    streams[stream] = state
    receiveEnd(on: stream, at: instant)
  }

  private mutating func receiveData(on stream: HTTP2StreamID, _ range: Range<Int>, at instant: MonotonicInstant?) {
    guard var state = streams[stream], state.isRead else {
      session.consumeOnConnection(range.count)
      return
    }
    guard !range.isEmpty else { return }
    // Content before the fault is delivered, so that the pieces in which a frame comes make no difference. nghttp2 delivers
    // content beyond a stream's window, too, and resets the stream after it (RFC 9113 6.9.1).
    let window = max(limits.streamWindow, Self.initialWindow) - state.unconsumed
    let verdict = state.receiveContent(min(range.count, window))
    let delivered = range.prefix(verdict.accepted)
    state.unconsumed += delivered.count
    streams[stream] = state
    session.consumeOnConnection(range.count - delivered.count)
    if !delivered.isEmpty { events.append(.data(stream, delivered)) }
    if let fault = verdict.fault {
      refuse(stream, .malformed(fault), at: instant)
    } else if range.count > window {
      discard(stream)
      events.append(.refused(stream, .streamError(.flowControlError)))
    }
  }

  private mutating func receiveEnd(on stream: HTTP2StreamID, at instant: MonotonicInstant?) {
    guard var state = streams[stream], state.isRead else { return }
    do throws(HTTP2Violation.Malformation) {
      try state.receiveEnd()
      streams[stream] = state
      events.append(.end(stream))
    } catch {
      refuse(stream, .malformed(error), at: instant)
    }
  }

  private mutating func receiveReset(on stream: HTTP2StreamID, _ code: HTTP2ErrorCode, at instant: MonotonicInstant?) {
    guard let state = streams[stream], !state.isDiscarding else { return }
    streams[stream]?.peerIsDone = true
    discard(stream)
    events.append(.reset(stream, code, by: .peer))
    if let instant, let flood = floods.streamReset(openedAt: state.opened, at: instant) { fail(.flood(flood)) }
  }

  /// nghttp2 has forgotten the stream.
  private mutating func close(_ stream: HTTP2StreamID, _ code: HTTP2ErrorCode) {
    guard var state = streams[stream] else { return }
    if !state.isDiscarding, code != .noError {
      discard(stream)
      state.discard()
      state.unconsumed = 0
      let resetter: HTTP2Resetter = peerIsLeaving ? .goAway : .unsent
      events.append(.reset(stream, code, by: resetter))
    }
    if role == .server, state.peerIsDone { lateFrames.finish(stream) }
    state.isClosed = true
    streams[stream] = state.unconsumed > 0 ? state : nil
    events.append(.closed(stream))
  }

  /// Ends a stream on which the peer broke a rule.
  private mutating func refuse(_ stream: HTTP2StreamID, _ violation: HTTP2Violation, at instant: MonotonicInstant?) {
    session.submitReset(stream, violation.code)
    discard(stream)
    events.append(.refused(stream, violation))
    if let instant, let flood = floods.streamFailed(at: instant) { fail(.flood(flood)) }
  }

  /// Nobody reads this stream any more: its content goes back to the connection's window.
  private mutating func discard(_ stream: HTTP2StreamID) {
    guard var state = streams[stream] else { return }
    session.consumeOnConnection(state.unconsumed)
    state.unconsumed = 0
    state.discard()
    streams[stream] = state.isClosed ? nil : state
  }

  private mutating func fail(_ violation: HTTP2Violation) {
    guard !isOver else { return }
    isOver = true
    session.terminate(violation.code)
    streams = StreamTable()
    events.append(.failed(violation))
  }

  /// Responses without a wish for another order share the connection: we do not know which of them the client needs first.
  private mutating func prioritise(_ stream: HTTP2StreamID, _ head: HTTP2RequestHead) {
    guard earlyPriorities.remove(stream) == nil else { return }
    let wish = head.fields.values(named: "priority").first
    var priority = HTTP2Priority(fieldValue: wish ?? "")
    if wish == nil { priority.isIncremental = true }
    session.setPriority(priority, of: stream)
  }

  // MARK: Sending

  /// Appends frames to `output`: up to `limit` bytes, or a single frame more. Content is pulled from the owner, who must not
  /// use the connection meanwhile; after `.later` it is not pulled again until `resume`.
  package mutating func nextOutput(
    into output: inout [UInt8], limit: Int, pull: @escaping (HTTP2StreamID, _ limit: Int) -> HTTP2Content
  ) {
    let canGoOn = session.send(into: &output, limit: limit, pull: pull)
    interpret(at: nil)
    if !canGoOn { fail(.connectionError(.internalError)) }
  }

  /// Whether `nextOutput` may have bytes: frames, or content that is not deferred and has a window.
  package var wantsOutput: Bool { session.wantsOutput }

  /// Whether nothing more will be read or written: the owner closes the transport once the output is sent.
  package var isFinished: Bool { !session.wantsOutput && (isOver || !session.wantsInput) }

  /// Opens a stream. `nil` if the connection takes no more requests: the peer goes away, or all numbers are used. Wait for a free
  /// slot (`mayOpenStream`) to know when the head can leave.
  package mutating func submitRequest(
    _ list: HTTP2HeaderList, method: HTTPMethod, hasContent: Bool
  ) -> HTTP2StreamID? {
    precondition(role == .client, "only a client opens streams")
    guard !isOver, shutdown == .none, session.mayRequest,
      let stream = session.submitRequest(list, hasContent: hasContent)
    else { return nil }
    streams[stream] = HTTP2Stream(request: method)
    return stream
  }

  /// Whether the peer's limit leaves room for another stream of ours now.
  package var mayOpenStream: Bool {
    guard !isOver, shutdown == .none, session.mayRequest else { return false }
    let limit = Int(session.peerStreamLimit)
    // Nearly always there are fewer, those that are closed included.
    return streams.count < limit || openStreams < limit
  }

  /// Streams that nghttp2 has not closed.
  package var openStreams: Int { streams.values.count { !$0.isClosed } }

  /// Lets clients open WebSockets from now on (RFC 8441 3). Idempotent.
  package mutating func offerExtendedConnect() {
    precondition(role == .server, "only a server offers extended CONNECT")
    guard !isOver, !offersExtendedConnect else { return }
    offersExtendedConnect = true
    session.offerExtendedConnect()
  }

  /// Sends a 1xx response. Returns whether the stream is still there.
  @discardableResult
  package mutating func submitInterim(_ list: HTTP2HeaderList, on stream: HTTP2StreamID) -> Bool {
    precondition(role == .server, "only a server responds")
    guard isAnswerable(stream) else { return false }
    return session.submitInterim(list, on: stream)
  }

  /// Sends the final response's head. Returns whether the stream is still there.
  @discardableResult
  package mutating func submitResponse(_ list: HTTP2HeaderList, on stream: HTTP2StreamID, hasContent: Bool) -> Bool {
    precondition(role == .server, "only a server responds")
    guard isAnswerable(stream) else { return false }
    return session.submitResponse(list, on: stream, hasContent: hasContent)
  }

  private func isAnswerable(_ stream: HTTP2StreamID) -> Bool {
    guard !isOver, let state = streams[stream] else { return false }
    return !state.isDiscarding && !state.isClosed
  }

  /// There is content again after `.later`.
  package mutating func resume(_ stream: HTTP2StreamID) {
    guard !isOver else { return }
    session.resume(stream)
  }

  /// Ends a stream in both directions. Its last event is `closed`; content that was not consumed goes back to the window at once.
  /// Content of ours that waits is dropped: a server that has responded and wants no more of the request (`noError`, RFC 9113
  /// 8.1) waits for `endSent` first.
  package mutating func reset(_ stream: HTTP2StreamID, _ code: HTTP2ErrorCode) {
    guard !isOver, let state = streams[stream], !state.isDiscarding else { return }
    if !state.isClosed { session.submitReset(stream, code) }
    discard(stream)
  }

  /// The reader of a stream has taken `count` bytes of its content: the windows open by as much. A stream that was reset has
  /// nothing left to consume, and the call does nothing.
  package mutating func consume(_ count: Int, on stream: HTTP2StreamID) {
    guard !isOver, var state = streams[stream], !state.isDiscarding else { return }
    precondition(count <= state.unconsumed, "a reader takes no more content than it was given")
    state.unconsumed -= count
    session.consume(count, on: stream)
    streams[stream] = state.isClosed && state.unconsumed == 0 ? nil : state
  }

  /// Returns a byte of the connection's window early: some peers look at what they have sent only when something comes.
  package mutating func nudge() {
    if !isOver, session.connectionReceivedBytes > 0 { session.returnByte() }
  }

  /// Bytes of content that were delivered on a stream and not consumed.
  package func unconsumed(on stream: HTTP2StreamID) -> Int { streams[stream]?.unconsumed ?? 0 }

  /// Bytes of content that the peer lets us send on a stream now, by the stream's window and the connection's; 0 if there is no
  /// such stream. A stream with content and no window is stalled.
  package func sendWindow(of stream: HTTP2StreamID) -> Int {
    min(session.sendWindow(of: stream), max(session.connectionSendWindow, 0))
  }

  /// Bytes of content that have come on all streams, and that the peer may not send again yet.
  package var receivedBytes: Int { session.connectionReceivedBytes }

  /// Bytes of content that the peer may still send on all streams.
  package var receiveWindow: Int { session.connectionReceiveWindow }

  package var peerSettings: HTTP2PeerSettings { session.peerSettings }

  package mutating func ping(_ payload: UInt64) {
    guard !isOver else { return }
    session.submitPing(payload)
  }

  /// Tells an origin of another priority (RFC 9218 7.1), if it has disabled the older priorities: others may not know the frame.
  package mutating func updatePriority(of stream: HTTP2StreamID, fieldValue: String) {
    precondition(role == .client, "only a client has wishes")
    guard !isOver else { return }
    session.submitPriorityUpdate(stream, fieldValue: fieldValue)
  }

  // MARK: The end

  /// Goes away without losing a request (RFC 9113 6.8): a server first names 2³¹ − 1 as its last stream and, one round trip
  /// later, the last one that came; streams that are open go on. A client opens no more streams.
  package mutating func beginShutdown() {
    guard !isOver, shutdown == .none else { return }
    switch role {
    case .server:
      shutdown = .announced
      session.submitShutdownNotice()
      session.submitPing(Self.shutdownPing)
    case .client:
      shutdown = .done
      session.submitGoAway(.noError)
    }
  }

  /// The second GOAWAY of a server, for an owner that does not wait for the round trip.
  package mutating func completeShutdown() {
    guard !isOver, shutdown == .announced else { return }
    shutdown = .done
    session.submitGoAway(.noError)
  }

  /// Ends the connection with all its streams.
  package mutating func terminate(_ code: HTTP2ErrorCode) {
    guard !isOver else { return }
    isOver = true
    streams = StreamTable()
    session.terminate(code)
  }
}
