internal import CLibevent
internal import TapelineSystem

/// Owns one `event_base`: libevent's reactor, used by one thread at a time and without locks.
///
/// Registrations hold their base, so it is freed after the last of them.
@safe
final class EventBase {
  /// For registrations.
  let pointer: OpaquePointer

  /// The descriptors of a base: its epoll instance, and a pipe for signals.
  private static let descriptorCount = 3

  init() throws(SystemCallError) {
    // Once per process, before the first base: by default libevent ends the process on internal errors.
    _ = Self.fatalCallbackIsSet
    try Self.checkDescriptors()
    guard let configuration = unsafe event_config_new() else {
      preconditionFailure("libevent has no memory for an event_config")
    }
    defer { unsafe event_config_free(configuration) }
    // No locks: only the loop's thread touches the base, other threads use the mailbox. With the change list, interests that
    // come and go within one iteration never reach epoll_ctl. Timers are coarse (milliseconds); Timer checks the clock again.
    let flags = Int32(EVENT_BASE_FLAG_NOLOCK.rawValue | EVENT_BASE_FLAG_EPOLL_USE_CHANGELIST.rawValue)
    let status = unsafe event_config_set_flag(configuration, flags)
    precondition(status == 0, "libevent refused flags that it documents")
    guard let base = unsafe tapeline_event_base_new(configuration) else {
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
    tapeline_set_fatal_callback(libeventFailed)
    return true
  }()

  /// Finds out whether there are descriptors for a base: without them libevent would write a complaint of its own on standard
  /// error.
  private static func checkDescriptors() throws(SystemCallError) {
    var bells: [Int32] = []
    defer { for bell in bells { SystemCalls.discard(bell) } }
    for _ in 0..<descriptorCount { bells.append(try SystemCalls.makeBell()) }
  }
}

/// libevent is about to give up. It would exit silently with its own code; a crash shows where.
func libeventFailed(_ code: Int32) {
  fatalError("libevent met an internal error, code \(code)")
}
