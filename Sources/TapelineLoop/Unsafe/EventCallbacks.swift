internal import CLibevent

// What libevent calls, on the loop's thread. They are functions at file scope: a closure literal would take on the isolation
// of the place where it is written and trap on a loop's thread. Each turns its context, which the owner of the registration
// passed without retaining, back into that owner, holds it while it reports, and lets the loop finish the callback.

typealias EventCallback = @convention(c) (Int32, Int16, UnsafeMutableRawPointer?) -> Void

func loopWasWoken(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
  let loop = unsafe owner(EventLoop.self, of: context)
  loop.didWake()
  loop.finishCallback()
}

func loopHasTurn(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
  unsafe owner(EventLoop.self, of: context).finishCallback()
}

func channelIsReadable(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
  let channel = unsafe owner(Channel.self, of: context)
  channel.didBecomeReadable()
  channel.loop.finishCallback()
}

func channelIsWritable(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
  let channel = unsafe owner(Channel.self, of: context)
  channel.didBecomeWritable()
  channel.loop.finishCallback()
}

func listenerIsReadable(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
  let listener = unsafe owner(Listener.self, of: context)
  listener.didBecomeReadable()
  listener.loop.finishCallback()
}

func connectionAttemptIsWritable(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
  let attempt = unsafe owner(ConnectionAttempt.self, of: context)
  attempt.didBecomeWritable()
  attempt.loop.finishCallback()
}

func timerElapsed(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
  let timer = unsafe owner(Timer.self, of: context)
  timer.didElapse()
  timer.loop.finishCallback()
}

func signalArrived(_: Int32, _: Int16, _ context: UnsafeMutableRawPointer?) {
  let source = unsafe owner(SignalSource.self, of: context)
  source.didArrive()
  source.loop.finishCallback()
}

/// libevent is about to give up. It would exit with its own code and nothing said; a crash says where.
func libeventFailed(_ code: Int32) {
  fatalError("libevent met an internal error, code \(code)")
}

/// The inverse of `Unmanaged.passUnretained(owner).toOpaque()`, by which every owner registers.
private func owner<Owner: AnyObject>(_: Owner.Type, of context: UnsafeMutableRawPointer?) -> Owner {
  guard let context = unsafe context else {
    preconditionFailure("libevent called back without the context it was given")
  }
  return unsafe Unmanaged<Owner>.fromOpaque(context).takeUnretainedValue()
}
