internal import Dispatch
public import FoundationEssentials
internal import Synchronization
internal import TapelineLoop
public import TapelineTransport

/// Keeps the response and its body in memory, or passes the body on to a closure that wants it.
///
/// Safety: `@unchecked Sendable` is inherited: the body is behind a lock, because a request's `data` may be read at any time;
/// everything else is touched on the loop, or before the request is started.
open class DataTaskDelegate: TaskDelegate, @unchecked Sendable {
  /// The final response's head.
  public private(set) var response: HTTPURLResponse?

  /// Called with each head in place of this class, and decides.
  public var dataTaskDidReceiveResponse: (@Sendable (SessionTask?, HTTPURLResponse) -> ResponseDisposition)?
  /// Called with each piece of the body in place of everything this class does with it: nothing is kept, and no progress is
  /// reported.
  public var dataTaskDidReceiveData: (@Sendable (SessionTask?, Data) -> Void)?
  /// Called with each piece of the body, which is then not kept.
  public var dataStream: (@Sendable (Data) -> Void)?

  private let kept = Mutex<Data?>(nil)
  private let headHandler = Mutex<HeadHandler?>(nil)
  /// Bytes of the body, kept or not.
  private var received: Int64 = 0
  /// Whether the library asked for content codings in this attempt, and so has to undo them.
  private var hasNegotiated = false

  /// The body so far; `nil` before the first byte, and when it was passed on. When the task has ended, content codings that the
  /// library had asked for are undone.
  public final var data: Data? { kept.withLock { $0 } }

  /// The body so far, empty before the first byte. What is set takes its place, and further bytes follow it.
  public final var mutableData: Data {
    get { data ?? Data() }
    set { kept.withLock { $0 = newValue } }
  }

  open override func taskDidReceive(_ response: HTTPURLResponse) -> ResponseDisposition {
    self.response = response
    if let dataTaskDidReceiveResponse { return dataTaskDidReceiveResponse(task, response) }
    guard let task, let handler = headHandler.withLock({ $0 }) else { return .proceed }
    return handler.decide(about: response, of: task, for: self)
  }

  /// `nil` removes the handler.
  final func setHeadHandler(_ handler: HeadHandler?) {
    headHandler.withLock { $0 = handler }
  }

  open override func taskDidReceive(_ bytes: Span<UInt8>) -> Demand {
    if let dataTaskDidReceiveData {
      dataTaskDidReceiveData(task, Data(copying: bytes))
      return .more
    }
    if let dataStream {
      dataStream(Data(copying: bytes))
    } else {
      keep(bytes)
    }
    received += Int64(bytes.count)
    request?.updateDownloadProgress(completed: received, total: response?.expectedContentLength ?? -1)
    return .more
  }

  // MARK: Content codings

  /// The request as it is sent: it asks for content codings unless it has an `Accept-Encoding` or a `Range` of its own, or the
  /// body is passed on piece by piece.
  final func negotiating(_ request: URLRequest) -> URLRequest {
    let isKept = dataStream == nil && dataTaskDidReceiveData == nil
    let negotiated = isKept ? ContentDecoding.negotiating(request) : nil
    hasNegotiated = negotiated != nil
    return negotiated ?? request
  }

  open override var hasWorkToFinish: Bool {
    hasNegotiated && response.map(ContentDecoding.isNeeded) ?? false
  }

  /// Decodes the body off the loop.
  @preconcurrency
  open override func finishWork(after error: (any Error)?, _ done: @escaping @Sendable () -> Void) {
    guard error == nil, let engine = request?.engine, let response, let body = data else { return done() }
    engine.serializationContext.async { [self] in
      let result = AFResult { () throws(TapelineError) in try ContentDecoding.decode(body, as: response) }
      kept.withLock { $0 = result.value }
      engine.root.async { [self] in
        if let failure = result.error, self.error == nil { self.error = failure }
        done()
      }
    }
  }

  private func keep(_ bytes: Span<UInt8>) {
    kept.withLock { data in
      if data == nil { data = Data() }
      data?.append(bytes: bytes)
    }
  }

  open override func reset() {
    super.reset()
    response = nil
    received = 0
    hasNegotiated = false
    kept.withLock { $0 = nil }
  }
}

/// A user's decision about the head of a response, made on a queue of theirs before any of the body is read.
struct HeadHandler: Sendable {
  typealias Closure =
    @Sendable (HTTPURLResponse, @escaping @Sendable (Request.ResponseDisposition) -> Void) -> Void

  /// `nil`: the closure is called where the head comes, and does not wait.
  private let queue: DispatchQueue?
  private let closure: Closure

  init(queue: DispatchQueue, closure: @escaping Closure) {
    self.queue = queue
    self.closure = closure
  }

  /// Asks an `async` function, in a task of its own.
  init(asking handler: @escaping @Sendable (HTTPURLResponse) async -> Request.ResponseDisposition) {
    queue = nil
    closure = { response, answer in Task { answer(await handler(response)) } }
  }

  /// Asks the user. The first answer counts, once the user's code has returned, if `delegate` still has the task by then.
  func decide(about response: HTTPURLResponse, of task: SessionTask, for delegate: TaskDelegate) -> ResponseDisposition {
    let answer = AnswerAfterReturn<Request.ResponseDisposition> { disposition in
      task.loop.execute { delegate.carryOut(disposition, of: task) }
    }
    let ask: @Sendable () -> Void = { [closure] in
      closure(response) { answer.give($0) }
      answer.didReturn()
    }
    if let queue { queue.async(execute: ask) } else { ask() }
    return .later
  }
}

extension TaskDelegate {
  fileprivate func carryOut(_ disposition: Request.ResponseDisposition, of task: SessionTask) {
    // A retry has another task, and a cancelled task waits for no answer.
    guard task === self.task else { return }
    switch disposition {
    case .allow: task.decide(.proceed)
    case .cancel: request?.cancel()
    }
  }
}
