internal import Dispatch
internal import TapelineTime

/// How long a disk that refuses writes is waited for, if nothing is to be lost: it may have room again. On the recorder's thread.
final class DiskPatience {
  private let limit: Duration
  private let clock: () -> MonotonicInstant
  private let rest: () -> Bool
  /// Told the first time.
  private let whenItBegins: (RecorderError) -> Void
  private let whenItEnds: () -> Void
  private var began: MonotonicInstant?
  private var isTold = false
  private var isOver = false

  private static let pause = DispatchTimeInterval.milliseconds(100)

  /// - Parameters:
  ///   - rest: waits a moment, and returns whether the recording goes on.
  ///   - whenItBegins: gets the error to tell, once.
  init(
    _ limit: Duration, clock: @escaping () -> MonotonicInstant = { .now }, rest: @escaping () -> Bool,
    whenItBegins: @escaping (RecorderError) -> Void, whenItEnds: @escaping () -> Void
  ) {
    self.limit = limit
    self.clock = clock
    self.rest = rest
    self.whenItBegins = whenItBegins
    self.whenItEnds = whenItEnds
  }

  /// `nil` if what cannot be written is dropped at once.
  convenience init?(_ configuration: RecorderConfiguration, _ queue: RecorderQueue) {
    guard case .wait(let patience) = configuration.overload else { return nil }
    self.init(
      patience, rest: { queue.rest(for: Self.pause) }, whenItBegins: configuration.onError,
      whenItEnds: { queue.endHoldingBack() })
  }

  /// Whether a write that has failed is to be tried again, which it is after a moment. Once it is not, no other is.
  func permitsAnotherAttempt(after error: RecorderError) -> Bool {
    guard !isOver, case .writeFailed(let path, let code) = error else { return false }
    if !isTold { whenItBegins(.writeWaits(path: path, code: code)) }
    isTold = true
    let now = clock()
    let start = began ?? now
    began = start
    if now.nanoseconds(since: start) < limit.nanoseconds, rest() { return true }
    isOver = true
    whenItEnds()
    return false
  }

  func noteSuccess() {
    began = nil
  }
}
