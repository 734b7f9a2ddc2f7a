internal import FoundationEssentials
internal import Synchronization
package import TapelineTime
public import TapelineTransport

/// Does the work of one request's task on the request's loop: the task's events come here through `SessionDelegate`.
///
/// Subclass it to decide what happens to a response; the base class only keeps records, and sends a body that is in memory.
/// Overridden methods run on the loop and must not block it. A request has one task delegate for all its attempts: `reset()` is
/// called between two attempts.
///
/// Safety: `@unchecked Sendable` because `Request`, its owner, is shared between threads. The gate is thread-safe by itself,
/// the two instants are atomic; every other stored property is touched on the loop, or before the request is started.
open class TaskDelegate: @unchecked Sendable {
  /// Opens when the request has ended; until then nothing in it runs.
  public let queue = SerialOperationQueue()

  /// The request whose task this works on; `nil` for a raw stream.
  public internal(set) weak var request: Request?
  /// The current task. A retry sets a new one.
  public internal(set) var task: SessionTask?
  /// The first error of executing the task.
  public internal(set) var error: (any Error)?
  /// The measurements of the task.
  public private(set) var metrics: TaskMetrics?

  /// Called in place of everything this class does at the end: the closure must then open `queue`, and until it does, nothing
  /// that waits for the request's end runs. Set it before the request is started.
  public var taskDidCompleteWithError: (@Sendable (SessionTask?, (any Error)?) -> Void)?

  /// The body to send: the rest begins at the offset.
  private var body: (bytes: Data, sent: Int)?
  /// Bytes of it that the connection has taken: some may have been asked for ahead of that.
  private var bodyBytesTaken = 0
  /// Nanoseconds; 0 before.
  private let initialResponse = Atomic<Int64>(0)
  private let end = Atomic<Int64>(0)

  /// A delegate that has no task yet.
  public init() {}

  // MARK: For subclasses

  /// The connection of a stream task is open.
  open func taskDidOpenStream() {}

  /// A 1xx response; the final one is still to come.
  open func taskDidReceiveInformational(_ response: HTTPURLResponse) {}

  /// The final response's head. After `later`, the task waits for its `decide`.
  open func taskDidReceive(_ response: HTTPURLResponse) -> ResponseDisposition {
    .proceed
  }

  /// Bytes of the body, or of a stream, borrowed for the call.
  open func taskDidReceive(_ bytes: Span<UInt8>) -> Demand {
    .more
  }

  /// The trailers of a response that has any.
  open func taskDidReceiveTrailers(_ trailers: HTTPHeaders) {}

  /// The peer of a stream task will send no more.
  open func taskDidReceiveEnd() {}

  /// The server has switched protocols, as it said with status 101: bytes go both ways from here on, as in a stream.
  open func taskDidUpgrade() {}

  /// The next piece of the request body, at most `limit` bytes.
  open func taskNeedsBody(limit: Int) -> BodyChunk {
    guard let body, body.sent < body.bytes.count else { return .end }
    let start = body.bytes.startIndex + body.sent
    let piece = [UInt8](body.bytes[start..<min(start + limit, body.bytes.endIndex)])
    self.body?.sent += piece.count
    return .bytes(piece)
  }

  /// The body will be asked for from its beginning, because the request is sent once more. `false`: it cannot be sent again.
  open func taskNeedsNewBody() -> Bool {
    body?.sent = 0
    bodyBytesTaken = 0
    return true
  }

  /// Trailers to end a chunked request body with.
  open var taskTrailers: HTTPHeaders? { nil }

  /// Bytes of the request body were handed to the connection.
  open func taskDidSendBody(_ count: Int) {
    stampInitialResponse(at: .now)
    bodyBytesTaken += count
    guard let body else { return }
    request?.updateUploadProgress(completed: Int64(bodyBytesTaken), total: Int64(body.bytes.count))
  }

  /// A stream task that was told to pause sending can go on.
  open func taskCanSendMore() {}

  /// Whether `finishWork` has something to do once the task has completed.
  open var hasWorkToFinish: Bool { false }

  /// Finishes what takes time (files to close and to move) before the response is validated and the gate opens. `done` is
  /// called once, on the loop; `error` is the task's.
  @preconcurrency
  open func finishWork(after error: (any Error)?, _ done: @escaping @Sendable () -> Void) {
    done()
  }

  /// The last event of the task, its error known; the gate opens after it.
  open func taskDidComplete() {}

  /// There will be another attempt: forgets the results of this one.
  open func reset() {
    task = nil
    error = nil
    metrics = nil
    initialResponse.store(0, ordering: .releasing)
    end.store(0, ordering: .releasing)
    queue.suspend()
  }

  // MARK: For the session delegate and subclasses in this package

  /// When the first byte came from the server or went to it as body.
  package final var initialResponseInstant: MonotonicInstant? {
    MonotonicInstant(stamp: initialResponse.load(ordering: .acquiring))
  }

  /// When the gate opened.
  package final var endInstant: MonotonicInstant? { MonotonicInstant(stamp: end.load(ordering: .acquiring)) }

  /// Stamps the first byte, once.
  package final func stampInitialResponse(at instant: MonotonicInstant) {
    initialResponse.stamp(instant)
  }

  final func stampEnd(at instant: MonotonicInstant) {
    end.stamp(instant)
  }

  /// Sets the body to send.
  final func setBody(_ bytes: Data?) {
    body = bytes.map { ($0, 0) }
    bodyBytesTaken = 0
  }

  final func finishCollecting(_ metrics: TaskMetrics) {
    self.metrics = metrics
  }

  /// Keeps `error` as the first one, and ends the task.
  package final func fail(with error: any Error) {
    if self.error == nil { self.error = error }
    task?.cancel()
  }

  /// Keeps the first error and tells the subclass. Returns whether the caller must open the gate; `false` if a closure has
  /// taken that over.
  final func complete(with error: (any Error)?) -> Bool {
    if let taskDidCompleteWithError {
      taskDidCompleteWithError(task, error)
      return false
    }
    if self.error == nil { self.error = error }
    taskDidComplete()
    return true
  }
}

extension Atomic<Int64> {
  /// Writes the instant unless one was written.
  fileprivate borrowing func stamp(_ instant: MonotonicInstant) {
    guard load(ordering: .relaxed) == 0 else { return }
    _ = compareExchange(expected: 0, desired: instant.nanoseconds, ordering: .acquiringAndReleasing)
  }
}

extension MonotonicInstant {
  /// The instant of a stamp; `nil` if none was written.
  fileprivate init?(stamp nanoseconds: Int64) {
    guard nanoseconds != 0 else { return nil }
    self.init(nanoseconds: nanoseconds)
  }
}
