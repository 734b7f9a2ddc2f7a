internal import CLibevent

// libevent calls these functions on the loop's thread. They are at file scope because a closure literal would take on the
// isolation of the place where it is written and trap on a loop's thread. Each turns its context, which the owner of the
// registration passed without retaining, back into that owner and holds the owner while it reports.

typealias EventCallback = @convention(c) (Int32, Int16, UnsafeMutableRawPointer?) -> Void

func loopWasWoken(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
  unsafe owner(EventLoop.self, of: context).didWake()
}

/// Only ends the wait: the remaining work is done at the end of the turn.
func loopHasTurn(_: Int32, _: Int16, _: UnsafeMutableRawPointer?) {}

func channelIsReadable(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
  unsafe owner(Channel.self, of: context).didBecomeReadable()
}

func channelIsWritable(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
  unsafe owner(Channel.self, of: context).didBecomeWritable()
}

func listenerIsReadable(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
  unsafe owner(Listener.self, of: context).didBecomeReadable()
}

func connectionAttemptIsWritable(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
  unsafe owner(ConnectionAttempt.self, of: context).didBecomeWritable()
}

func timerElapsed(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
  unsafe owner(Timer.self, of: context).didElapse()
}

func signalArrived(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
  unsafe owner(SignalSource.self, of: context).didArrive()
}

/// libevent is about to give up. It would exit silently with its own code; a crash shows where.
func libeventFailed(_ code: Int32) {
  fatalError("libevent met an internal error, code \(code)")
}

/// The inverse of `Unmanaged.passUnretained(owner).toOpaque()`, with which every owner registers.
private func owner<Owner: AnyObject>(_: Owner.Type, of context: UnsafeMutableRawPointer?) -> Owner {
  guard let context = unsafe context else {
    preconditionFailure("libevent called back without the context it was given")
  }
  return unsafe Unmanaged<Owner>.fromOpaque(context).takeUnretainedValue()
}
