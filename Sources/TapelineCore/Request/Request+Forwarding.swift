internal import TapelineLoop
internal import TapelineTime
internal import TapelineTransport

/// The life of a request that goes out as it is: no lock, no other thread, nothing between the call and the wire. In the root context.
extension Request {
  /// Starts the task, or goes on with it.
  func forward() {
    guard stage == .idle, case .work(let work) = subject else {
      delegate.task?.resume()
      return
    }
    engine.root.preconditionCurrent()
    stage = .running
    do throws(TransportError) {
      let task = try engine.makeTask(work)
      engine.associate(self, followUps: nil, with: task)
      delegate.task = task
      task.resume()
    } catch {
      didForward(with: error)
    }
  }

  func cancelForwarded() {
    if delegate.error == nil { delegate.error = TapelineError.explicitlyCancelled }
    if let task = delegate.task { task.cancel() } else { didForward(with: nil) }
  }

  /// The end.
  func didForward(with error: TransportError?) {
    stage = .finished
    guard delegate.complete(with: error.map { TapelineError.sessionTaskFailed(error: $0) }) else { return }
    delegate.stampEnd(at: .now)
    delegate.queue.open()
    _ = transition(to: .finished)
  }
}
