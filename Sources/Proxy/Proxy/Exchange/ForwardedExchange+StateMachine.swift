internal import TapelineTime

extension ForwardedExchange {
  /// How far a forwarded exchange has come, as a value. It hands out the task that it holds, and so is generic over it.
  struct StateMachine<Task>: ~Copyable {
    private enum State {
      case unstarted
      case running(Task)
      /// We have cancelled the task, which has not completed yet.
      case cancelling(Task)
      /// The task completed at this instant. The client does not have everything yet.
      case delivering(since: MonotonicInstant)
      case recorded
    }

    private var state = State.unstarted

    // MARK: Questions

    var task: Task? {
      switch state {
      case .running(let task), .cancelling(let task): task
      case .unstarted, .delivering, .recorded: nil
      }
    }

    var isDelivering: Bool {
      switch state {
      case .delivering: true
      case .unstarted, .running, .cancelling, .recorded: false
      }
    }

    var isRecorded: Bool {
      switch state {
      case .recorded: true
      case .unstarted, .running, .cancelling, .delivering: false
      }
    }

    // MARK: Events

    mutating func start(_ task: Task) {
      switch state {
      case .unstarted: state = .running(task)
      case .running, .cancelling, .delivering, .recorded: preconditionFailure("an exchange is started once")
      }
    }

    /// The exchange cannot go on. Answers the task to cancel.
    mutating func cancel() -> Task? {
      switch state {
      case .running(let task):
        state = .cancelling(task)
        return task
      case .unstarted, .cancelling, .delivering, .recorded:
        return nil
      }
    }

    enum Completion: Equatable {
      /// If the task failed, that is the exchange's failure.
      case asItIs
      /// A task that we have cancelled did not fail.
      case cancelled
    }

    /// The task has completed, or could not be made.
    mutating func taskDidComplete(at now: MonotonicInstant) -> Completion {
      switch state {
      case .unstarted, .running:
        state = .delivering(since: now)
        return .asItIs
      case .cancelling:
        state = .delivering(since: now)
        return .cancelled
      case .delivering, .recorded:
        preconditionFailure("a task completes once")
      }
    }

    /// The client has everything, or is gone. Answers when the task completed, the first time after that; `nil` otherwise.
    mutating func finish() -> MonotonicInstant? {
      switch state {
      case .delivering(let since):
        state = .recorded
        return since
      case .unstarted, .running, .cancelling, .recorded:
        return nil
      }
    }
  }
}
