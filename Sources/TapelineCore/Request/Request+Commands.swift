internal import TapelineTransport

/// The effects of commands, in the root context. The caller has already changed the state. A command acts on the state that it
/// finds, and later steps look at the state again, so no command is lost or counts twice.
extension Request {
  /// Ends the attempt: its task, which then completes, or the request itself if it has no task.
  func endAttempt() {
    switch stage {
    case .idle, .settingUp, .deciding, .waiting: finish()
    case .running: if let task = delegate.task { apply(.cancelled, to: task) }
    case .completing, .finished: break
    }
  }

  /// Applies the request's state to the task it has now.
  func updateStates(of task: SessionTask) {
    switch state {
    case .initialized, .finished: break
    case .resumed: apply(.resumed, to: task)
    case .suspended: apply(.suspended, to: task)
    case .cancelled: apply(.cancelled, to: task)
    }
  }

  enum TaskCommand {
    case resumed
    case suspended
    case cancelled
  }

  /// Commands the task, and tells the monitors later, because the command may already complete the task.
  ///
  /// A task that has not been started is cancelled without a start; it has metrics all the same.
  func apply(_ command: TaskCommand, to task: SessionTask) {
    switch command {
    case .resumed:
      task.resume()
      tell { $0.request($1, didResumeTask: task) }
    case .suspended:
      task.suspend()
      tell { $0.request($1, didSuspendTask: task) }
    case .cancelled:
      guard task.state == .running || task.state == .suspended else { return }
      task.cancel()
      tell { $0.request($1, didCancelTask: task) }
    }
  }

  private func tell(_ event: @escaping @Sendable (any EventMonitor, Request) -> Void) {
    guard let eventMonitor else { return }
    engine.root.async { event(eventMonitor, self) }
  }

  /// Ends the request with `error`, unless it has ended: its task is cancelled, if there is one.
  package final func fail(with error: any Error) {
    guard stage != .finished else { return }
    let error = error.asTapelineError(or: .sessionTaskFailed(error: error))
    keep(error)
    if stage == .running, let task = delegate.task { eventMonitor?.request(self, didFailTask: task, earlyWithError: error) }
    endAttempt()
  }

  /// The session was released.
  func sessionDidEnd() {
    fail(with: TapelineError.sessionDeinitialized)
  }

  /// Keeps the first error.
  func keep(_ error: TapelineError) {
    mutableState.write { state in
      if state.error == nil { state.error = error }
    }
  }
}
