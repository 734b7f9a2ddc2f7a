public import FoundationEssentials
package import TapelineTime
public import TapelineTransport

/// Its first half is the first half of the UUID of every request in this process.
private let processUUID = UUID()

/// The facts about a request, from any thread.
extension Request {
  /// Unique, and the same each time. It is derived from `id` on demand: a new UUID for each request would cost more than the
  /// request.
  public var uuid: UUID {
    var bytes = processUUID.uuid
    bytes.8 = UInt8(truncatingIfNeeded: id >> 56) & 0x3F | 0x80
    bytes.9 = UInt8(truncatingIfNeeded: id >> 48)
    bytes.10 = UInt8(truncatingIfNeeded: id >> 40)
    bytes.11 = UInt8(truncatingIfNeeded: id >> 32)
    bytes.12 = UInt8(truncatingIfNeeded: id >> 24)
    bytes.13 = UInt8(truncatingIfNeeded: id >> 16)
    bytes.14 = UInt8(truncatingIfNeeded: id >> 8)
    bytes.15 = UInt8(truncatingIfNeeded: id)
    return UUID(uuid: bytes)
  }

  /// Whether it was made but not started.
  public var isInitialized: Bool { state == .initialized }

  /// Whether it was started, is not suspended, and has not ended.
  public var isResumed: Bool { state == .resumed }

  /// Whether it was suspended.
  public var isSuspended: Bool { state == .suspended }

  /// Whether it was cancelled; it stays so.
  public var isCancelled: Bool { state == .cancelled }

  /// Whether its handlers have been called. A cancelled request stays cancelled instead.
  public var isFinished: Bool { state == .finished }

  /// Calls `work` with the state as it is now.
  public func withState<Result>(perform work: (State) throws -> Result) rethrows -> Result {
    try work(state)
  }

  /// Every `URLRequest` of every attempt: as first made, and as adapted.
  public var requests: [URLRequest] { mutableState.requests }

  /// The first `URLRequest` that was made.
  public var firstRequest: URLRequest? { requests.first }

  /// The last `URLRequest` that was made.
  public var lastRequest: URLRequest? { requests.last }

  /// The last `URLRequest` that was made; `nil` before the first is made, or when none could be made.
  public var request: URLRequest? { lastRequest }

  /// The head of the response of the last attempt.
  public var response: HTTPURLResponse? { mutableState.response }

  /// The trailers of the last attempt's response (RFC 9110 6.5): fields after its body, such as a checksum, or the status of
  /// gRPC. `nil` without trailers, and before they came.
  public var trailers: HTTPHeaders? { mutableState.trailers }

  /// The tasks of all attempts.
  public var tasks: [SessionTask] { mutableState.tasks }

  /// The task of the first attempt.
  public var firstTask: SessionTask? { tasks.first }

  /// The task of the last attempt.
  public var lastTask: SessionTask? { tasks.last }

  /// The task of the last attempt.
  public var task: SessionTask? { lastTask }

  /// The measurements of the tasks of all attempts that have ended.
  public var allMetrics: [TaskMetrics] { mutableState.metrics }

  /// The measurements of the first attempt.
  public var firstMetrics: TaskMetrics? { allMetrics.first }

  /// The measurements of the last attempt that has ended.
  public var lastMetrics: TaskMetrics? { allMetrics.last }

  /// The measurements of the last attempt that has ended.
  public var metrics: TaskMetrics? { lastMetrics }

  /// The first error of the attempt.
  public var error: TapelineError? { mutableState.error }

  /// How often the request was sent again.
  public var retryCount: Int { mutableState.retryCount }

  /// How much of the request's body was sent.
  public var uploadProgress: Progress { mutableState.uploadProgress }

  /// How much of the response's body has come.
  public var downloadProgress: Progress { mutableState.downloadProgress }
}

extension Request: CustomStringConvertible {
  /// Method, URL, and the status once there is a response.
  public var description: String {
    guard let request else { return "No request created yet." }
    let status = response.map { " (\($0.statusCode))" } ?? ""
    return "\(request.method.rawValue) \(request)\(status)"
  }
}

extension Request: CustomDebugStringConvertible {
  /// The request as a cURL command.
  public var debugDescription: String { cURLDescription() }
}

extension Request: Hashable {
  /// Requests are equal only if they are the same object.
  public static func == (left: Request, right: Request) -> Bool {
    left === right
  }

  /// By `id`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(id)
  }
}

extension Request {
  /// The timeline up to now: each reading has its own end of serialization.
  public var timeline: Timeline { timeline(serializedAt: .now) }

  /// Derived from stamps that are kept elsewhere. A missing start or end falls back to now, a missing first byte to the end.
  /// All stamps are monotonic, so a step of the wall clock makes no duration negative.
  ///
  /// - Parameter entryStart: when the recorded entry began; `nil`: when the request began.
  package func timeline(startedAt entryStart: MonotonicInstant? = nil, serializedAt now: MonotonicInstant) -> Timeline {
    let end = delegate.endInstant ?? now
    // The request may have ended since the reader looked at the clock.
    return Timeline(
      startedAt: entryStart ?? startInstant, firstByteAt: delegate.initialResponseInstant, completedAt: end,
      serializedAt: max(now, end))
  }
}

extension Timeline {
  /// Made from monotonic instants. A start that is missing or later than the end is set to the end; so is a missing first byte.
  package init(
    startedAt start: MonotonicInstant?, firstByteAt firstByte: MonotonicInstant?, completedAt end: MonotonicInstant,
    serializedAt serialized: MonotonicInstant
  ) {
    let anchor = WallClockAnchor.process
    self.init(
      requestStartTime: anchor.absoluteTime(at: min(start ?? end, end)),
      initialResponseTime: anchor.absoluteTime(at: firstByte ?? end),
      requestCompletedTime: anchor.absoluteTime(at: end),
      serializationCompletedTime: anchor.absoluteTime(at: serialized))
  }
}

/// The kind of task of a request, with its `URLRequest` and the task itself; each is `nil` until it exists.
public enum RequestTask: Sendable {
  /// A response that is kept in memory, or streamed.
  case data(URLRequest?, SessionTask?)
  /// A response that goes into a file.
  case download(URLRequest?, SessionTask?)
  /// A body that is pulled.
  case upload(URLRequest?, SessionTask?)
  /// A raw stream has no `URLRequest`.
  case stream(SessionTask?)
}

extension Request {
  /// The task of the last attempt, by its kind.
  public var requestTask: RequestTask {
    switch self {
    case is UploadRequest: .upload(request, task)
    case is DownloadRequest: .download(request, task)
    case is StreamRequest: .stream(task)
    default: .data(request, task)
    }
  }
}
