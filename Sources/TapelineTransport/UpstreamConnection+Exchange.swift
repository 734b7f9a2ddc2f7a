internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineTime

/// One exchange on the connection: the request goes out by pull, the response comes in as events.
extension UpstreamConnection {
  /// Carries another task on this idle connection.
  func begin(_ task: SessionTask) {
    guard case .exchange(let request) = task.work else {
      preconditionFailure("a stream was put on a connection that has carried exchanges")
    }
    info?.isReused = true
    carry(task)
    begin(request, of: task, hasWaited: true)
  }

  func begin(_ request: OutgoingRequest, of task: SessionTask, hasWaited: Bool) {
    guard let link else { preconditionFailure("an exchange begins on a connection that stands") }
    phase = .exchanging
    progress = ExchangeProgress(hasWaited: hasWaited, isReplayable: request.isReplayable)
    headBegan = nil
    http.expectResponse(to: request.head.method)
    link.withOutput { output in
      ForwardedRequest.append(
        head: request.head, framing: request.framing, forwardsUpgrade: request.allowsUpgrade,
        authority: request.route.authority, into: &output)
    }
    switch request.framing {
    case .none, .length(0):
      endRequest()
    case .length(let length):
      bodyRemaining = length
      pumpBody()
    case .chunked:
      pumpBody()
    case .untilClose:
      preconditionFailure("a request body is never delimited by close (RFC 9112 6.3)")
    }
  }

  /// Moves the task's body to the connection until it has nothing now or enough is queued.
  func pumpBody() {
    guard case .exchanging = phase, !progress.requestEnded else { return }
    guard let task, let link, case .exchange(let request) = task.work else { return }
    while !link.isAboveHighWater {
      switch task.nextBodyChunk(limit: 64 * 1024) {
      case .bytes(let chunk):
        write(chunk, framing: request.framing, to: link)
        task.didSendBody(chunk.count)
      case .later:
        return
      case .end:
        if request.framing == .chunked {
          let trailers = task.trailers
          let removed = trailers.map { _ in HopByHopFields(of: request.head.fields) }
          link.withOutput { ChunkedEncoder.appendLastChunk(trailers: trailers, without: removed, into: &$0) }
        }
        return endRequest()
      }
    }
    wait(transport.configuration.idleTimeoutNanoseconds)
  }

  private func write(_ chunk: [UInt8], framing: BodyFraming, to link: Link) {
    switch framing {
    case .chunked:
      link.withOutput { ChunkedEncoder.appendChunkHeader(size: chunk.count, into: &$0) }
      link.write(chunk)
      link.withOutput { ChunkedEncoder.appendChunkEnd(into: &$0) }
    case .none, .length, .untilClose:
      precondition(UInt64(chunk.count) <= bodyRemaining, "a body source gave more than the length it promised")
      bodyRemaining -= UInt64(chunk.count)
      link.write(chunk)
    }
  }

  private func endRequest() {
    progress.endRequest()
    wait(transport.configuration.responseTimeoutNanoseconds)
  }

  func receive(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    guard let task, let link else { return }
    task.metrics.bytesReceived += UInt64(bytes.count)
    progress.beginResponse()
    if headBegan == nil { headBegan = instant }
    task.metrics.marks.move(.responseLastByte, to: instant)
    var demand = Demand.more
    var offset = 0
    do throws(HTTPParseError) {
      while let event = try http.receive(bytes, from: &offset) {
        switch event {
        case .requestHead:
          preconditionFailure("a connection in the client role read a request")
        case .informational(let head):
          headBegan = offset < bytes.count ? instant : nil
          task.didReceiveInformational(head)
        case .responseHead(let head):
          guard head.status != 101 || allowsUpgrade else { return fail(.unsolicitedUpgrade) }
          task.metrics.marks.stamp(.responseFirstByte, at: headBegan ?? instant)
          task.metrics.marks.stamp(.responseHeadEnd, at: instant)
          task.responseFraming = http.framing
          if task.didReceive(head) == .cancel { return task.cancel() }
          if head.status == 101 {
            return becomeStream(of: task, early: bytes.extracting(droppingFirst: offset), at: instant)
          }
        case .body(let range):
          demand = task.didReceive(bytes.extracting(range), at: instant)
        case .trailers(let trailers):
          task.didReceiveTrailers(trailers)
        case .end:
          return endResponse(mayPersist: offset == bytes.count)
        }
        // A callback may have cancelled the task, and with it this exchange.
        guard self.task === task else { return }
      }
    } catch {
      return fail(.malformedResponse(error))
    }
    switch demand {
    case .more:
      wait(progress.requestEnded ? transport.configuration.idleTimeoutNanoseconds : nil, from: instant)
    case .pause:
      wait(nil)
      link.pauseReading()
    }
  }

  /// Whether a 101 answers what was asked (RFC 9110 15.2.2).
  private var allowsUpgrade: Bool {
    guard let task, case .exchange(let request) = task.work else { return false }
    return request.allowsUpgrade && progress.requestEnded
  }

  /// The response ended at its framing (or, when that is its framing, at the close).
  private func endResponse(mayPersist: Bool) {
    guard let task, let link else { return }
    progress.endResponse()
    wait(nil)
    measure()
    self.task = nil
    if mayPersist, progress.leavesConnectionClean, http.mayPersist, link.bufferedBytes == 0, !receivedEnd {
      phase = .idle
      link.resumeReading()
      transport.pool.put(self, at: .now)
    } else {
      close()
    }
    task.complete(with: nil)
  }

  /// The origin closed: the end of a response that is delimited by it, or a failure.
  func endExchangeAtClose() {
    do throws(HTTPParseError) {
      switch try http.receiveEnd() {
      case .end where link?.inputIsTruncated == true:
        fail(.cutOffResponse)
      case .end:
        endResponse(mayPersist: false)
      case nil, .informational, .requestHead, .responseHead, .body, .trailers:
        fail(.closedEarly(in: reached))
      }
    } catch {
      fail(progress.responseBegan ? .truncatedResponse(error) : .closedEarly(in: reached))
    }
  }
}
