internal import CLibevent

/// One event registered with a base: an interest in a descriptor, a timer, or a signal. Freed once, by its owner, on the loop.
///
/// It does not retain the object that it reports to: that object owns the registration, or outlives it.
@safe
struct EventRegistration: ~Copyable {
  fileprivate enum Interest {
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

  private init<Owner: AnyObject>(on base: EventBase, _ interest: Interest, for owner: Owner, _ callback: EventCallback) {
    let (subject, what) =
      switch interest {
      case .readable(let descriptor): (descriptor, EV_READ | EV_PERSIST)
      case .writable(let descriptor): (descriptor, EV_WRITE | EV_PERSIST)
      case .timeout: (Int32(-1), Int32(0))
      case .signal(let number): (number, EV_SIGNAL | EV_PERSIST)
      }
    guard let event = unsafe event_new(base.pointer, subject, Int16(what), callback, Unmanaged.passUnretained(owner).toOpaque())
    else {
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

// Each kind of owner has its callback, which knows the owner's type.
extension EventRegistration {
  init(readable socket: Int32, for channel: Channel) {
    unsafe self.init(on: channel.loop.base, .readable(socket), for: channel, channelIsReadable)
  }

  init(writable socket: Int32, for channel: Channel) {
    unsafe self.init(on: channel.loop.base, .writable(socket), for: channel, channelIsWritable)
  }

  init(readable socket: Int32, for listener: Listener) {
    unsafe self.init(on: listener.loop.base, .readable(socket), for: listener, listenerIsReadable)
  }

  init(readable socket: Int32, for datagrams: DatagramSocket) {
    unsafe self.init(on: datagrams.loop.base, .readable(socket), for: datagrams, datagramsAreReadable)
  }

  init(readable socket: Int32, for queue: PacketQueue) {
    unsafe self.init(on: queue.loop.base, .readable(socket), for: queue, packetsAreReadable)
  }

  init(writable socket: Int32, for attempt: ConnectionAttempt) {
    unsafe self.init(on: attempt.loop.base, .writable(socket), for: attempt, connectionAttemptIsWritable)
  }

  init(timeOf timer: Timer) {
    unsafe self.init(on: timer.loop.base, .timeout, for: timer, timerElapsed)
  }

  init(signal number: Int32, for source: SignalSource) {
    unsafe self.init(on: source.loop.base, .signal(number), for: source, signalArrived)
  }

  init(readable bell: Int32, for loop: EventLoop) {
    unsafe self.init(on: loop.base, .readable(bell), for: loop, loopWasWoken)
  }

  init(turnOf loop: EventLoop) {
    unsafe self.init(on: loop.base, .timeout, for: loop, loopHasTurn)
  }
}

// libevent calls these functions on the loop's thread. They are at file scope because a closure literal would take on the
// isolation of the place where it is written and trap on a loop's thread. Each turns its context, which the owner of the
// registration passed without retaining, back into that owner and holds the owner while it reports.

private typealias EventCallback = @convention(c) (Int32, Int16, UnsafeMutableRawPointer?) -> Void

private func loopWasWoken(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
  unsafe owner(EventLoop.self, of: context).didWake()
}

/// Only ends the wait: the remaining work is done at the end of the turn.
private func loopHasTurn(_: Int32, _: Int16, _: UnsafeMutableRawPointer?) {}

private func channelIsReadable(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
  unsafe owner(Channel.self, of: context).didBecomeReadable()
}

private func channelIsWritable(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
  let channel = unsafe owner(Channel.self, of: context)
  channel.loop.noteWork()
  channel.didBecomeWritable()
}

private func listenerIsReadable(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
  let listener = unsafe owner(Listener.self, of: context)
  listener.loop.noteWork()
  listener.didBecomeReadable()
}

private func datagramsAreReadable(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
  let datagrams = unsafe owner(DatagramSocket.self, of: context)
  datagrams.loop.noteWork()
  datagrams.didBecomeReadable()
}

private func packetsAreReadable(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
  let queue = unsafe owner(PacketQueue.self, of: context)
  queue.loop.noteWork()
  queue.didBecomeReadable()
}

private func connectionAttemptIsWritable(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
  let attempt = unsafe owner(ConnectionAttempt.self, of: context)
  attempt.loop.noteWork()
  attempt.didBecomeWritable()
}

private func timerElapsed(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
  let timer = unsafe owner(Timer.self, of: context)
  timer.loop.noteWork()
  timer.didElapse()
}

private func signalArrived(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
  unsafe owner(SignalSource.self, of: context).didArrive()
}

/// The inverse of `Unmanaged.passUnretained(owner).toOpaque()`, with which every owner registers.
private func owner<Owner: AnyObject>(_: Owner.Type, of context: UnsafeMutableRawPointer?) -> Owner {
  guard let context = unsafe context else {
    preconditionFailure("libevent called back without the context it was given")
  }
  return unsafe Unmanaged<Owner>.fromOpaque(context).takeUnretainedValue()
}
