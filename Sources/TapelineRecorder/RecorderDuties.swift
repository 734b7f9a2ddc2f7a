internal import Dispatch
internal import TapelineTime

/// The recorder's timed tasks, which are due even without traffic.
struct RecorderDuties {
  private let sync: SyncPolicy
  private let rotationInterval: Int64?
  private var rotation: MonotonicInstant?
  /// The time of the oldest write that is not synced.
  private var oldestUnsynced: MonotonicInstant?

  init(sync: SyncPolicy, rotationInterval: Int64?, now: MonotonicInstant) {
    self.sync = sync
    self.rotationInterval = rotationInterval
    noteRotation(at: now)
  }

  /// Whether data must be synced; never with the policy `never`.
  var isUnsynced: Bool { oldestUnsynced != nil }

  /// When the next task is due; `nil` when there is only traffic to wait for.
  func next(after now: MonotonicInstant) -> DispatchTime? {
    guard let instant = [rotation, syncTime].compactMap({ $0 }).min() else { return nil }
    return .now() + .nanoseconds(Int(max(0, instant.nanoseconds(since: now))))
  }

  func isRotationDue(at now: MonotonicInstant) -> Bool {
    rotation.map { $0 <= now } ?? false
  }

  func isSyncDue(at now: MonotonicInstant) -> Bool {
    syncTime.map { $0 <= now } ?? false
  }

  mutating func noteRotation(at now: MonotonicInstant) {
    rotation = rotationInterval.map { now.advanced(byNanoseconds: $0) }
  }

  mutating func noteWrite(at now: MonotonicInstant) {
    switch sync {
    case .never: break
    case .eachWrite, .interval: oldestUnsynced = oldestUnsynced ?? now
    }
  }

  mutating func noteSync() {
    oldestUnsynced = nil
  }

  private var syncTime: MonotonicInstant? {
    switch sync {
    case .never: nil
    case .eachWrite: oldestUnsynced
    case .interval(let nanoseconds): oldestUnsynced?.advanced(byNanoseconds: nanoseconds)
    }
  }
}
