import TapelineHTTP
import TapelineLoop
import TapelineTime
import Testing

@testable import TapelineCore
@testable import TapelineTransport

/// The proxy's way through the core.
@Suite struct ForwardingTests {
  /// Notes what the task reports. Touched on the loop only.
  private final class Owner: TaskOwner {
    let log: EventLog
    private(set) var error: TransportError?
    private(set) var metrics: TaskMetrics?

    init(log: EventLog) {
      self.log = log
    }

    func task(_ task: SessionTask, didReceive head: ResponseHead) -> ResponseDisposition {
      log.add("head \(head.status)")
      return .proceed
    }

    func task(_ task: SessionTask, didReceive bytes: Span<UInt8>, at instant: MonotonicInstant) -> Demand {
      log.add("body \(bytes.count)")
      return bytes.count > 4 ? .pause : .more
    }

    func taskDidGatherMetrics(_ task: SessionTask) {
      metrics = task.metrics
    }

    func task(_ task: SessionTask, didCompleteWith error: TransportError?) {
      self.error = error
      log.add("complete \(error == nil ? "" : "with an error")")
    }
  }

  @Test("A forwarded request runs on the loop, inside the calls, without setup or another context")
  func everythingOnTheLoop() throws {
    let harness = try CoreHarness.forwarding()
    let outgoing = try CoreHarness.get()
    let session = harness.session
    #expect(harness.engine.requestContext is LoopContext)
    #expect(harness.engine.serializationContext is LoopContext)
    try harness.onLoop { transport in
      let log = EventLog()
      let owner = Owner(log: log)
      let task = try session.forward(outgoing, for: owner)
      #expect(transport.started.isEmpty)
      task.resume()
      #expect(transport.started.first === task)
      #expect(task.state == .running)
      _ = task.didReceive(ResponseHead(status: 200))
      let bytes: [UInt8] = [1, 2, 3]
      #expect(task.didReceive(bytes.span, at: .now) == .more)
      task.complete(with: nil)
      #expect(log.all == ["head 200", "body 3", "complete "])
      #expect(task.state == .completed)
      #expect(owner.metrics != nil)
      #expect(task.requestHead.map { URLRequest(head: $0).description } == CoreHarness.url)
      #expect(session.delegate[task] == nil)
      #expect(session.activeRequestCount == 0)
      #expect(session.engine.taskCount == 0)
    }
  }

  @Test("A forwarded request's timeline uses its instants; a missing instant is its end")
  func theTimeline() {
    let instants = (1...4).map { MonotonicInstant(nanoseconds: $0 * 1_000_000_000) }
    let whole = Timeline(
      startedAt: instants[0], firstByteAt: instants[1], completedAt: instants[2], serializedAt: instants[3])
    #expect(whole.latency == 1)
    #expect(whole.requestDuration == 2)
    #expect(whole.totalDuration == 3)
    let nothing = Timeline(startedAt: nil, firstByteAt: nil, completedAt: instants[2], serializedAt: instants[2])
    #expect(nothing.latency == 0 && nothing.totalDuration == 0)
  }

  @Test("The leaf's appetite reaches the transport")
  func backPressure() throws {
    let harness = try CoreHarness.forwarding()
    let outgoing = try CoreHarness.get()
    let session = harness.session
    try harness.onLoop { transport in
      let task = try session.forward(outgoing, for: Owner(log: EventLog()))
      task.resume()
      let bytes = [UInt8](repeating: 0, count: 5)
      #expect(task.didReceive(bytes.span, at: .now) == .pause)
      task.cancel()
    }
  }

  @Test("A GET with a body is forwarded")
  func aGETWithABody() throws {
    let harness = try CoreHarness.forwarding()
    let head = try RequestHead(method: .get, target: CoreHarness.url)
    let session = harness.session
    try harness.onLoop { transport in
      let outgoing = OutgoingRequest(head: head, framing: .length(4), route: Route(host: "origin.example", port: 80))
      let task = try session.forward(outgoing, for: Owner(log: EventLog()))
      task.resume()
      task.cancel()
      #expect(transport.started.count == 1)
    }
  }

  @Test("Cancelling reaches the owner as a cancellation, even before the start")
  func cancelling() throws {
    let harness = try CoreHarness.forwarding()
    let outgoing = try CoreHarness.get()
    let session = harness.session
    try harness.onLoop { transport in
      let log = EventLog()
      let owner = Owner(log: log)
      let task = try session.forward(outgoing, for: owner)
      task.resume()
      task.cancel()
      #expect(log.all == ["complete with an error"])
      #expect(owner.error?.kind == .cancelled)
      try session.forward(outgoing, for: Owner(log: log)).cancel()
      #expect(log.all.count == 2)
      #expect(transport.started.count == 1)
    }
  }

  @Test("An operation added to the gate of a raw stream runs after its completion")
  func theGate() throws {
    final class Leaf: StreamTaskDelegate, @unchecked Sendable {
      let log: EventLog

      init(log: EventLog) {
        self.log = log
        super.init()
      }

      override func taskDidComplete() {
        log.add("complete \(error == nil ? "" : "with an error")")
      }
    }
    let harness = try CoreHarness.forwarding()
    let session = harness.session
    try harness.onLoop { transport in
      let log = EventLog()
      let leaf = Leaf(log: log)
      let wantsDrain = leaf.queue.enqueue { log.add("operation") }
      #expect(!wantsDrain)
      let request = session.stream(host: "origin.example", port: 443, with: leaf)
      request.resume()
      try #require(transport.started.first).complete(with: CoreHarness.refused)
      #expect(log.all == ["complete with an error", "operation"])
      #expect((leaf.error as? TapelineError)?.transportError == CoreHarness.refused)
      #expect(request.isFinished)
      #expect(leaf.endInstant != nil)
      let never = session.stream(host: "origin.example", port: 443, with: Leaf(log: log))
      never.cancel()
      #expect((never.delegate.error as? TapelineError)?.isExplicitlyCancelledError == true)
      #expect(never.isCancelled)
      #expect(transport.started.count == 1)
    }
  }

  @Test("A monitor on the loop is notified of a forwarded request inside the event")
  func aMonitorOnTheLoop() throws {
    let log = EventLog()
    let harness = try CoreHarness(eventMonitors: [EventRecorder(log)])
    let outgoing = try CoreHarness.get()
    let session = harness.session
    try harness.onLoop { transport in
      let task = try session.forward(outgoing, for: Owner(log: EventLog()))
      task.resume()
      _ = task.didReceive(ResponseHead(status: 200))
      #expect(log.all == ["head 200"])
      task.complete(with: nil)
      #expect(log.all == ["head 200", "metrics collected", "task completed"])
    }
  }

  @Test("A raw stream is a stream request with a stream task delegate")
  func aRawStream() throws {
    let harness = try CoreHarness.forwarding()
    let session = harness.session
    try harness.onLoop { transport in
      let leaf = StreamTaskDelegate()
      let request = session.stream(host: "origin.example", port: 443, with: leaf)
      request.resume()
      let task = try #require(transport.started.first)
      #expect(task.requestHead == nil)
      #expect(!leaf.isOpen)
      task.didOpenStream()
      #expect(leaf.isOpen)
      let bytes: [UInt8] = [1]
      #expect(leaf.send(bytes.span) == .more)
      leaf.finishSending()
      task.complete(with: nil)
      #expect(request.isFinished)
    }
  }
}
