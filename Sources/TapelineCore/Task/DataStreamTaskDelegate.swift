internal import Dispatch
internal import FoundationEssentials
internal import Synchronization
internal import TapelineLoop
public import TapelineTransport

/// Hands a response body on as it comes, to any number of subscribers, and reads no faster than the slowest of them.
///
/// Safety: `@unchecked Sendable` is inherited: subscribers and the handler of the head are behind locks; everything else is touched
/// on the loop.
public final class DataStreamTaskDelegate: TaskDelegate, @unchecked Sendable {
  typealias ResponseHandler =
    @Sendable (
      HTTPURLResponse, @escaping @Sendable (DataStreamRequest.ResponseDisposition) -> Void
    ) -> Void

  private let subscribers = Mutex<[StreamSubscriber]>([])
  private let responseHandler = Mutex<(queue: DispatchQueue, handler: ResponseHandler)?>(nil)
  private let backlogLimit: Int
  /// Of the subscribers that were let go.
  private let dismissedBacklog = Mutex(0)

  // Loop-bound.
  /// The head of the response that is handed on.
  public private(set) var response: HTTPURLResponse?
  private(set) var received: UInt64 = 0

  init(backlogLimit: Int = Backlog.defaultLimit) {
    self.backlogLimit = backlogLimit
  }

  // MARK: From any thread

  /// - Parameter restart: called on the loop when the body will begin again.
  func subscribe(
    restart: @escaping @Sendable () -> Void = {},
    _ take: @escaping @Sendable (Data, _ done: @escaping @Sendable () -> Void) -> Void
  ) {
    let subscriber = StreamSubscriber(backlog: Backlog(limit: backlogLimit), take: take, restart: restart)
    subscribers.withLock { $0.append(subscriber) }
  }

  func setResponseHandler(on queue: DispatchQueue, _ handler: @escaping ResponseHandler) {
    responseHandler.withLock { $0 = (queue, handler) }
  }

  /// Nothing will come any more: lets go of those who waited for it.
  func dismissSubscribers() {
    let highest = highestBacklog
    dismissedBacklog.withLock { $0 = highest }
    subscribers.withLock { $0 = [] }
    responseHandler.withLock { $0 = nil }
  }

  /// The most octets that waited for any subscriber.
  var highestBacklog: Int {
    let highest = subscribers.withLock { $0.map(\.backlog.highest).max() ?? 0 }
    return max(highest, dismissedBacklog.withLock { $0 })
  }

  // MARK: Events

  public override func taskDidReceive(_ response: HTTPURLResponse) -> ResponseDisposition {
    self.response = response
    guard let task, let asked = responseHandler.withLock({ $0 }) else { return .proceed }
    let once = Once()
    asked.queue.async { [self] in
      asked.handler(response) { [self] disposition in
        guard once.claim() else { return }
        task.loop.execute { [self] in answer(disposition, to: task) }
      }
    }
    return .later
  }

  private func answer(_ disposition: DataStreamRequest.ResponseDisposition, to task: SessionTask) {
    // A retry has another task, and a cancelled one waits for no answer.
    guard task === self.task else { return }
    switch disposition {
    case .allow: task.decide(.proceed)
    case .cancel: request?.cancel()
    }
  }

  public override func taskDidReceive(_ bytes: Span<UInt8>) -> Demand {
    received += UInt64(bytes.count)
    request?.updateDownloadProgress(
      completed: Int64(clamping: received), total: response.map(\.expectedContentLength) ?? -1)
    let subscribers = subscribers.withLock { $0 }
    guard !subscribers.isEmpty, let task else { return .more }
    let data = Data(copying: bytes)
    var demand = Demand.more
    for subscriber in subscribers {
      if subscriber.backlog.add(data.count) == .pause { demand = .pause }
      subscriber.take(data) { [self] in
        guard subscriber.backlog.remove(data.count) else { return }
        task.loop.execute { self.resumeReceiving(of: task) }
      }
    }
    return demand
  }

  /// Reads on unless another subscriber still has too much.
  private func resumeReceiving(of task: SessionTask) {
    guard subscribers.withLock({ $0.allSatisfy { !$0.backlog.isPaused } }) else { return }
    task.resumeReceiving()
  }

  public override func reset() {
    super.reset()
    response = nil
    received = 0
    for subscriber in subscribers.withLock({ $0 }) { subscriber.restart() }
  }
}
