package import TapelineLoop

/// The main thread's loop, which serves signals and nothing else. Bound to the main thread.
///
/// From `on` to the end of `serve()`, a signal is an event here, even if it arrives before `serve()`. Afterwards it has its
/// former action again: a second interrupt during the last flush ends the program at once.
package final class MainLoop {
  private let loop: EventLoop
  private var sources: [SignalSource] = []

  package init() throws(CommandFailure) {
    do throws(LoopError) {
      loop = try EventLoop()
    } catch {
      throw CommandFailure(
        status: .unavailable, what: "cannot wait for signals", why: error.message, remedy: "raise the limit of open files")
    }
  }

  /// Calls `handler` for each `signal` that arrives.
  package func on(_ signal: SignalSource.Signal, _ handler: @escaping (SignalSource.Signal) -> Void) {
    sources.append(SignalSource(loop: loop, signal: signal, handler: handler))
  }

  package func stop(on signals: SignalSource.Signal...) {
    let loop = loop
    for signal in signals {
      on(signal) { _ in loop.stop() }
    }
  }

  /// Serves until stopped.
  package func serve() {
    loop.run()
    for source in sources {
      source.cancel()
    }
    sources = []
  }

  /// Stops `serve()`, from any thread.
  package var stopper: @Sendable () -> Void {
    let loop = loop
    return { loop.stop() }
  }
}
