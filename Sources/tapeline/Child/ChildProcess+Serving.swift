internal import Dispatch
internal import Glibc
internal import TapelineLoop

extension ChildProcess {
  /// Runs a command to its end and returns the status to exit with.
  ///
  /// The terminal sends SIGINT and SIGQUIT to us and the child alike: what they mean is the child's to say. SIGTERM and SIGHUP
  /// come to us alone, and are passed on. A signal that we were started to ignore stays ignored, by the child as well.
  ///
  /// - Parameter onStart: is told the command's process.
  static func serve(
    _ command: [String], environment: [[UInt8]], onStart: (pid_t) -> Void = { _ in }
  ) throws(CommandFailure) -> Int32 {
    let main = try MainLoop()
    if !SignalDisposition.isIgnored(SIGQUIT) { SignalDisposition.absorb(SIGQUIT) }
    if !SignalDisposition.isIgnored(SIGINT) { main.on(.interrupt) { _ in } }
    // Watched before there is a child, so that none is ever left alone; what arrives is served when it has started.
    var started: ChildProcess?
    main.on(.terminate) { started?.send($0.rawValue) }
    if !SignalDisposition.isIgnored(SIGHUP) { main.on(.hangUp) { started?.send($0.rawValue) } }
    let child = try ChildProcess(command: command, environment: environment)
    DescriptorLimit.raise()
    started = child
    onStart(child.identifier)
    let ending = child.ending
    let stop = main.stopper
    DispatchQueue.global().async {
      ending.wait()
      stop()
    }
    main.serve()
    return child.collect()
  }
}
