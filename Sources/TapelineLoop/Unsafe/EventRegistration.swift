internal import CLibevent
internal import TapelineSystem

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

/// Owns one `event_base`: libevent's reactor, used by one thread at a time and without locks.
///
/// Registrations hold their base, so it is freed after the last of them.
@safe
final class EventBase {
  /// For registrations.
  let pointer: OpaquePointer

  init() throws(SystemCallError) {
    // Once per process, before the first base: by default libevent ends the process on internal errors.
    _ = Self.fatalCallbackIsSet
    guard let configuration = unsafe event_config_new() else {
      preconditionFailure("libevent has no memory for an event_config")
    }
    defer { unsafe event_config_free(configuration) }
    // No locks: only the loop's thread touches the base, other threads use the mailbox. With the change list, interests that come
    // and go within one iteration never reach epoll_ctl. Timers are coarse (milliseconds); Timer checks the clock again.
    let flags = Int32(EVENT_BASE_FLAG_NOLOCK.rawValue | EVENT_BASE_FLAG_EPOLL_USE_CHANGELIST.rawValue)
    let status = unsafe event_config_set_flag(configuration, flags)
    precondition(status == 0, "libevent refused flags that it documents")
    guard let base = unsafe event_base_new_with_config(configuration) else {
      // libevent logs the cause and does not return it; on a Linux with epoll the only cause is a lack of descriptors.
      throw SystemCallError(code: ErrorCode.tooManyFiles, call: .epoll)
    }
    unsafe pointer = base
  }

  deinit {
    unsafe event_base_free(pointer)
  }

  /// Waits until an event is due, then serves all due events on the calling thread.
  func serve() {
    let status = unsafe event_base_loop(pointer, EVLOOP_ONCE | EVLOOP_NO_EXIT_ON_EMPTY)
    precondition(status == 0, "libevent's loop failed: its backend refused to wait")
  }

  private static let fatalCallbackIsSet: Bool = {
    event_set_fatal_callback(libeventFailed)
    return true
  }()
}
