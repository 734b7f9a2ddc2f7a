internal import CLibevent

/// One event registered with a base: an interest in a descriptor, a timer, or a signal. Freed once, by its owner, on the loop.
///
/// It does not retain `context`: the owner of the registration is the context, or outlives it.
@safe
struct EventRegistration: ~Copyable {
  enum Interest {
    case readable(Int32)
    case writable(Int32)
    case timeout
    case signal(Int32)
  }

  private let event: OpaquePointer
  /// Freed after the event.
  private let base: EventBase
  /// Whether an interest or a signal is reported. Timers track this themselves.
  private(set) var isAdded = false

  init(on base: EventBase, _ interest: Interest, callback: EventCallback, context: UnsafeMutableRawPointer) {
    let (subject, what) =
      switch interest {
      case .readable(let descriptor): (descriptor, EV_READ | EV_PERSIST)
      case .writable(let descriptor): (descriptor, EV_WRITE | EV_PERSIST)
      case .timeout: (Int32(-1), Int32(0))
      case .signal(let number): (number, EV_SIGNAL | EV_PERSIST)
      }
    guard let event = unsafe event_new(base.pointer, subject, Int16(what), callback, context) else {
      preconditionFailure("libevent has no memory for an event")
    }
    unsafe self.event = event
    self.base = base
  }

  deinit {
    // Removes the event first, if it is added.
    unsafe event_free(event)
  }

  /// Starts (or continues) reporting. Idempotent.
  mutating func add() {
    guard !isAdded else { return }
    let status = unsafe event_add(event, nil)
    precondition(status == 0, "libevent could not add an event")
    isAdded = true
  }

  /// Reports once, after at least about `nanoseconds`; replaces an earlier time.
  mutating func add(afterNanoseconds nanoseconds: Int64) {
    // Rounded up: a timer may be late, never early.
    let microseconds = (max(nanoseconds, 0) + 999) / 1000
    let status = unsafe tapeline_event_add_timer(event, microseconds)
    precondition(status == 0, "libevent could not add a timer")
  }

  /// Stops reporting. Idempotent.
  mutating func remove() {
    guard isAdded else { return }
    let status = unsafe event_del(event)
    precondition(status == 0, "libevent could not remove an event")
    isAdded = false
  }
}
