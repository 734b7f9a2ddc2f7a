public import TapelineTransport
package import TapelineTime

/// Does the work of one request's task on the request's loop: what the task reports comes here through `SessionDelegate`.
///
/// Subclass it to decide what becomes of a response; the base class only keeps the books. Overridden methods run on the loop
/// and must not block it.
///
/// Safety: `@unchecked Sendable` because `Request`, its owner, is shared between threads. The gate is thread-safe by itself;
/// every other stored property is touched on the loop, or read after the gate opened, which orders it.
open class TaskDelegate: @unchecked Sendable {
  /// Opens when the task has completed; until then nothing in it runs.
  public let queue = SerialOperationQueue()

  /// The task under way. A retry sets a new one.
  public internal(set) var task: SessionTask?
  /// The first error of executing the task.
  public internal(set) var error: (any Error)?
  public private(set) var metrics: TaskMetrics?

  /// When the first octet came from the server or went to it as body.
  package private(set) var initialResponseInstant: MonotonicInstant?
  /// When the gate opened.
  package private(set) var endInstant: MonotonicInstant?

  public init() {}

  // MARK: For subclasses

  /// The connection of a stream task stands.
  open func taskDidOpenStream() {}

  /// A 1xx response; the final one is still to come.
  open func taskDidReceiveInformational(_ response: HTTPURLResponse) {}

  /// The final response's head.
  open func taskDidReceive(_ response: HTTPURLResponse) -> ResponseDisposition {
    .proceed
  }

  /// Octets of the body, or of a stream, borrowed for the call. `instant` is when they were read.
  open func taskDidReceive(_ bytes: Span<UInt8>) -> Demand {
    .more
  }

  open func taskDidReceiveTrailers(_ trailers: HTTPHeaders) {}

  /// The peer of a stream task will send no more.
  open func taskDidReceiveEnd() {}

  /// The server has switched protocols, as it said with status 101: octets go both ways from here on, as in a stream.
  open func taskDidUpgrade() {}

  /// The next piece of the request body, at most `limit` octets.
  open func taskNeedsBody(limit: Int) -> BodyChunk {
    .end
  }

  /// Trailers to end a chunked request body with.
  open var taskTrailers: HTTPHeaders? { nil }

  open func taskDidSendBody(_ count: Int) {}

  /// A stream task that was told to pause sending can go on.
  open func taskCanSendMore() {}

  /// The last event of the task; the gate opens after it.
  open func taskDidComplete() {}

  // MARK: For the session delegate and subclasses in this package

  /// Stamps the first octet, once.
  package final func stampInitialResponse(at instant: MonotonicInstant) {
    if initialResponseInstant == nil { initialResponseInstant = instant }
  }

  final func finishCollecting(_ metrics: TaskMetrics) {
    self.metrics = metrics
  }

  /// Keeps the first error, tells the subclass, stamps the end, opens the gate: in this order.
  final func complete(with error: (any Error)?) {
    if self.error == nil { self.error = error }
    taskDidComplete()
    openGate()
  }

  final func openGate() {
    if endInstant == nil { endInstant = .now }
    queue.open()
  }
}
