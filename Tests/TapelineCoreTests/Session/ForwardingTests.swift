import TapelineHTTP
import TapelineLoop
import TapelineTime
import Testing

@testable import TapelineCore
@testable import TapelineTransport

/// The proxy's way through the core.
@Suite struct ForwardingTests {
  /// Notes what the task reports. Touched on the loop only.
  private final class Leaf: TaskDelegate, @unchecked Sendable {
    let log: EventLog

    init(log: EventLog) {
      self.log = log
      super.init()
    }

    override func taskDidReceive(_ response: HTTPURLResponse) -> ResponseDisposition {
      log.add("head \(response.statusCode)")
      return .proceed
    }

    override func taskDidReceive(_ bytes: Span<UInt8>) -> Demand {
      log.add("body \(bytes.count)")
      return bytes.count > 4 ? .pause : .more
    }

    override func taskDidComplete() {
      log.add("complete \(error == nil ? "" : "with an error")")
    }
  }

  @Test("3.1, 3.2, 3.7: all of a forwarded request happens on the loop, inside the calls: no setup, no context is entered")
  func everythingOnTheLoop() throws {
    let harness = try CoreHarness.forwarding()
    let outgoing = try CoreHarness.get()
    let session = harness.session
    #expect(harness.engine.requestContext is LoopContext)
    #expect(harness.engine.serializationContext is LoopContext)
    try harness.onLoop { transport in
      let log = EventLog()
      let leaf = Leaf(log: log)
      let request = session.forward(outgoing, with: leaf)
      request.resume()
      let task = try #require(transport.started.first)
      #expect(task.state == .running)
      _ = task.didReceive(ResponseHead(status: 200))
      let bytes: [UInt8] = [1, 2, 3]
      #expect(task.didReceive(bytes.span, at: .now) == .more)
      task.complete(with: nil)
      #expect(log.all == ["head 200", "body 3", "complete "])
      #expect(request.isFinished)
      #expect(leaf.endInstant != nil)
      #expect(leaf.initialResponseInstant != nil)
      #expect(request.request?.description == CoreHarness.url)
      #expect(request.timeline(serializedAt: .now).requestDuration >= 0)
      #expect(session.activeRequestCount == 0)
    }
  }

  @Test("2.7.23, 3.3: what the leaf says of its appetite reaches the transport")
  func backPressure() throws {
    let harness = try CoreHarness.forwarding()
    let outgoing = try CoreHarness.get()
    let session = harness.session
    try harness.onLoop { transport in
      let request = session.forward(outgoing, with: Leaf(log: EventLog()))
      request.resume()
      let task = try #require(transport.started.first)
      let bytes = [UInt8](repeating: 0, count: 5)
      #expect(task.didReceive(bytes.span, at: .now) == .pause)
      request.cancel()
    }
  }

  @Test("2.1.24, 3.2: a GET with a body is forwarded")
  func aGETWithABody() throws {
    let harness = try CoreHarness.forwarding()
    let head = try RequestHead(method: .get, target: CoreHarness.url)
    let session = harness.session
    try harness.onLoop { transport in
      let outgoing = OutgoingRequest(head: head, framing: .length(4), route: Route(host: "origin.example", port: 80))
      session.forward(outgoing, with: Leaf(log: EventLog())).resume().cancel()
      #expect(transport.started.count == 1)
    }
  }

  @Test("3.3, 1.6.4: cancelling reaches the leaf with an explicit cancellation, before the start as well")
  func cancelling() throws {
    let harness = try CoreHarness.forwarding()
    let outgoing = try CoreHarness.get()
    let session = harness.session
    try harness.onLoop { transport in
      let log = EventLog()
      let leaf = Leaf(log: log)
      let request = session.forward(outgoing, with: leaf)
      request.resume()
      request.cancel()
      #expect(log.all == ["complete with an error"])
      #expect((leaf.error as? TapelineError)?.isExplicitlyCancelledError == true)
      #expect(request.isCancelled)
      let never = Leaf(log: log)
      session.forward(outgoing, with: never).cancel()
      #expect(log.all.count == 2)
      #expect(transport.started.count == 1)
    }
  }

  @Test("3.5: an operation added to the gate of a forwarded request runs after its completion")
  func theGate() throws {
    let harness = try CoreHarness.forwarding()
    let outgoing = try CoreHarness.get()
    let session = harness.session
    try harness.onLoop { transport in
      let log = EventLog()
      let leaf = Leaf(log: log)
      let wantsDrain = leaf.queue.enqueue { log.add("operation") }
      #expect(!wantsDrain)
      session.forward(outgoing, with: leaf).resume()
      try #require(transport.started.first).complete(with: CoreHarness.refused)
      #expect(log.all == ["complete with an error", "operation"])
      #expect((leaf.error as? TapelineError)?.transportError == CoreHarness.refused)
    }
  }

  @Test("3.6: a monitor on the loop hears of a forwarded request inside the event")
  func aMonitorOnTheLoop() throws {
    let log = EventLog()
    let harness = try CoreHarness(eventMonitors: [EventRecorder(log)])
    let outgoing = try CoreHarness.get()
    let session = harness.session
    try harness.onLoop { transport in
      session.forward(outgoing, with: Leaf(log: EventLog())).resume()
      let task = try #require(transport.started.first)
      _ = task.didReceive(ResponseHead(status: 200))
      #expect(log.all == ["head 200"])
      task.complete(with: nil)
      #expect(log.all == ["head 200", "metrics collected", "task completed"])
    }
  }

  @Test("2.1.28: a raw stream is a stream request with a stream task delegate")
  func aRawStream() throws {
    let harness = try CoreHarness.forwarding()
    let session = harness.session
    try harness.onLoop { transport in
      let leaf = StreamTaskDelegate()
      let request = session.stream(to: Route(host: "origin.example", port: 443), with: leaf)
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
