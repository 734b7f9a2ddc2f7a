internal import TapelineLoop
internal import TapelineSystem

extension ChildProcess {
  /// Runs a command to its end and returns the status to exit with.
  ///
  /// The terminal sends SIGINT and SIGQUIT to us and the child alike, and the child decides what they mean. SIGTERM and SIGHUP
  /// come to us alone, and we pass them on. A signal that we were started to ignore stays ignored, by the child as well.
  ///
  /// - Parameter onStart: receives the id of the command's process.
  static func serve(
    _ command: [String], environment: [[UInt8]], onStart: (Int32) -> Void = { _ in }
  ) throws(CommandFailure) -> Int32 {
    let main = try MainLoop()
    if !ProcessSignal.isIgnored(ProcessSignal.quit) { ProcessSignal.absorb(ProcessSignal.quit) }
    if !ProcessSignal.isIgnored(ProcessSignal.interrupt) { main.on(.interrupt) { _ in } }
    // Watch signals before the child exists, so that no child is ever left alone. Earlier signals are served after its start.
    var started: ChildProcess?
    main.on(.terminate) { started?.send($0.rawValue) }
    if !ProcessSignal.isIgnored(ProcessSignal.hangUp) { main.on(.hangUp) { started?.send($0.rawValue) } }
    let child = try ChildProcess(command: command, environment: environment)
    OpenFileLimit.raise()
    started = child
    onStart(child.identifier)
    let waiter = try stop(main, atTheEndOf: child)
    main.serve()
    waiter.join()
    return child.collect()
  }
  private static func stop(_ main: MainLoop, atTheEndOf child: ChildProcess) throws(CommandFailure) -> SystemThread {
    let (waitForEnd, stop) = (child.waitForEnd, main.stopper)
    do throws(SystemCallError) {
      return try SystemThread(name: "tapeline-child", takesSignals: false) {
        waitForEnd()
        stop()
      }
    } catch {
      child.send(ProcessSignal.terminate)
      throw CommandFailure(
        status: .unavailable, what: "cannot wait for the command", why: error.text, remedy: "raise the limit of threads")
    }
  }
}
