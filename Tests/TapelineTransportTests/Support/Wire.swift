import Dispatch
import Synchronization
import TapelineHTTP
import TapelineLoop
import TapelineTime

@testable import TapelineTransport

/// A network transport on a loop of its own, for tests that run tasks against a scripted origin.
final class Wire: Sendable {
  private let group: EventLoopGroup
  private let resolver: Resolver
  private let transport: LoopBound<NetworkTransport>
  private let lastIdentifier = Atomic<Int>(0)

  init(_ configure: (inout NetworkTransport.Configuration) -> Void = { _ in }) throws {
    var configuration = NetworkTransport.Configuration()
    configure(&configuration)
    let chosen = configuration
    let group = try EventLoopGroup(threads: 1)
    let resolver = try Resolver(threads: 1)
    let loop = group.loops[0]
    self.group = group
    self.resolver = resolver
    transport = loop.executeAndWait {
      LoopBound(NetworkTransport(loop: loop, resolver: resolver, configuration: chosen), on: loop)
    }
  }

  deinit {
    transport.loop.executeAndWait { [transport] in transport.value.shutdown() }
    group.shutdown()
    resolver.shutdown()
  }

  /// Runs a task to its end.
  func run(_ request: OutgoingRequest, body: [UInt8] = []) throws -> TaskRun.Outcome {
    try begin(request, body: body).wait()
  }

  func begin(_ request: OutgoingRequest, body: [UInt8] = []) throws -> TaskRun {
    let identifier = lastIdentifier.wrappingAdd(1, ordering: .relaxed).newValue
    return transport.loop.executeAndWait { [transport] in
      let run = TaskRun(request, body: body, identifier: identifier, on: transport.value)
      run.task.resume()
      return run
    }
  }
}

/// One task and what became of it.
struct TaskRun: Sendable {
  struct Outcome: Sendable {
    var events: [String] = []
    var metrics = TaskMetrics()
    var error: TransportError?
  }

  struct Overdue: Error {}

  let task: SessionTask
  private let listener: TaskListener

  init(_ request: OutgoingRequest, body: [UInt8], identifier: Int, on transport: NetworkTransport) {
    listener = TaskListener(body: body)
    task = SessionTask(
      taskIdentifier: identifier, work: .exchange(request), loop: transport.loop, transport: transport, events: listener)
  }

  func wait() throws -> Outcome {
    guard listener.ended.wait(timeout: .now() + 10) == .success else { throw Overdue() }
    return listener.outcome
  }
}

/// Writes down a task's events.
///
/// Safety: the events come on the loop; the outcome is read after the semaphore that the last event signals.
private final class TaskListener: SessionTaskEvents, @unchecked Sendable {
  private(set) var outcome = TaskRun.Outcome()
  private var body: [UInt8]
  let ended = DispatchSemaphore(value: 0)

  init(body: [UInt8]) {
    self.body = body
  }

  func taskDidOpenStream(_ task: SessionTask) { outcome.events.append("open") }

  func task(_ task: SessionTask, didReceiveInformational head: ResponseHead) {
    outcome.events.append("informational \(head.status)")
  }

  func task(_ task: SessionTask, didReceive head: ResponseHead) -> ResponseDisposition {
    outcome.events.append("head \(head.status)")
    return .proceed
  }

  func task(_ task: SessionTask, didReceive bytes: Span<UInt8>, at instant: MonotonicInstant) -> Demand {
    let text = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    outcome.events.append("body \(text)")
    return .more
  }

  func task(_ task: SessionTask, didReceiveTrailers trailers: HeaderFields) {
    outcome.events.append("trailers " + trailers.map { "\($0.name): \($0.value)" }.joined(separator: ", "))
  }

  func taskDidReceiveEnd(_ task: SessionTask) { outcome.events.append("end") }

  func taskNeedsBody(_ task: SessionTask, limit: Int) -> BodyChunk {
    guard !body.isEmpty else { return .end }
    defer { body.removeFirst(min(limit, body.count)) }
    return .bytes(Array(body.prefix(limit)))
  }

  func taskTrailers(_ task: SessionTask) -> HeaderFields? { nil }

  func task(_ task: SessionTask, didSendBody count: Int) {}

  func taskCanSendMore(_ task: SessionTask) {}

  func task(_ task: SessionTask, didFinishCollecting metrics: TaskMetrics) {
    outcome.events.append("metrics")
    outcome.metrics = metrics
  }

  func task(_ task: SessionTask, didCompleteWith error: TransportError?) {
    outcome.events.append("complete \(error.map { "\($0.kind)" } ?? "nil")")
    outcome.error = error
    ended.signal()
  }
}
