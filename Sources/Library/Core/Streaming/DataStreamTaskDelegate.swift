internal import FoundationEssentials
internal import Synchronization
internal import TapelineLoop
public import TapelineTransport

/// Hands a response body on as it comes, to any number of subscribers, and reads no faster than the slowest of them.
///
/// Safety: `@unchecked Sendable` is inherited: subscribers and the handler of the head are behind locks; everything else is
/// touched on the loop.
public final class DataStreamTaskDelegate: TaskDelegate, @unchecked Sendable {
  private let subscribers = Mutex<[StreamSubscriber]>([])
  private let headHandler = Mutex<HeadHandler?>(nil)
  private let undecided = Mutex(Undecided())
  private let backlogLimit: Int
  /// The highest backlog of the subscribers that were let go.
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
    _ take: @escaping @Sendable (StreamedPiece) -> Void
  ) {
    let subscriber = StreamSubscriber(backlog: Backlog(limit: backlogLimit), take: take, restart: restart)
    subscribers.withLock { $0.append(subscriber) }
  }

  func setHeadHandler(_ handler: HeadHandler) {
    headHandler.withLock { $0 = handler }
  }

  /// No more pieces will come: lets go of the subscribers.
  func dismissSubscribers() {
    let highest = highestBacklog
    dismissedBacklog.withLock { $0 = highest }
    subscribers.withLock { $0 = [] }
    headHandler.withLock { $0 = nil }
  }

  /// The most bytes that waited for any subscriber.
  var highestBacklog: Int {
    let highest = subscribers.withLock { $0.map(\.backlog.highest).max() ?? 0 }
    return max(highest, dismissedBacklog.withLock { $0 })
  }

  // MARK: Events

  public override func taskDidReceive(_ response: HTTPURLResponse) -> ResponseDisposition {
    self.response = response
    guard let task, let handler = headHandler.withLock({ $0 }) else { return .proceed }
    return handler.decide(about: response, of: task, for: self)
  }

  public override func taskDidReceive(_ bytes: Span<UInt8>) -> Demand {
    received += UInt64(bytes.count)
    request?.updateDownloadProgress(
      completed: Int64(clamping: received), total: response.map(\.expectedContentLength) ?? -1)
    let subscribers = subscribers.withLock { $0 }
    guard !subscribers.isEmpty, let task else { return .more }
    let data = Data(copying: bytes)
    var demand = Demand.more
    undecided.withLock { $0.count += subscribers.count }
    for subscriber in subscribers {
      if subscriber.backlog.add(data.count) == .pause { demand = .pause }
      let piece = StreamedPiece(data: data) { [self] in
        undecided.withLock { $0.decideOne() }?()
      } isTaken: { [self] in
        guard subscriber.backlog.remove(data.count) else { return }
        task.loop.execute { self.resumeReceiving(of: task) }
      }
      subscriber.take(piece)
    }
    return demand
  }

  /// Handlers and serializers that have a piece may still fail the request or cancel it: it waits for them.
  public override var hasWorkToFinish: Bool { undecided.withLock { $0.count > 0 } }

  @preconcurrency
  public override func finishWork(after error: (any Error)?, _ done: @escaping @Sendable () -> Void) {
    let isDecided = undecided.withLock { undecided in
      if undecided.count > 0 { undecided.whenNone = done }
      return undecided.count == 0
    }
    if isDecided { done() }
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

/// A piece of a body on its way to a subscriber. Both closures are called once, from any thread.
struct StreamedPiece: Sendable {
  let data: Data
  /// Nothing that is made of the piece can change the request's outcome any more.
  let isDecided: @Sendable () -> Void
  /// The piece takes no room any more.
  let isTaken: @Sendable () -> Void

  /// It has been dealt with.
  func end() {
    isDecided()
    isTaken()
  }
}

/// Counts the pieces about which nobody has decided yet.
private struct Undecided: Sendable {
  var count = 0
  var whenNone: (@Sendable () -> Void)?

  /// Returns what to do now that there is none, if somebody waits for that.
  mutating func decideOne() -> (@Sendable () -> Void)? {
    count -= 1
    return count == 0 ? whenNone.take() : nil
  }
}

/// A subscriber to the pieces of a body: how to hand a piece on, and the backlog of pieces that wait.
private struct StreamSubscriber: Sendable {
  let backlog: Backlog
  /// Takes a piece, on the loop.
  let take: @Sendable (StreamedPiece) -> Void
  /// The body will begin again, with another attempt.
  let restart: @Sendable () -> Void
}
