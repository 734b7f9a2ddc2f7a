package import TapelineHTTP
package import TapelineTransport

/// Owns a task of a session and hears of all its events, on the task's loop: a `Request` of the library, or an exchange that is
/// forwarded as it came.
///
/// The session's delegate tells the monitors first and then the owner. An owner is told of the task's metrics, then of its
/// completion, each once.
package protocol TaskOwner: SessionTaskEvents {}

/// Defaults for an owner that has no stream, sends no body and ignores what it need not answer.
extension TaskOwner {
  package func taskDidOpenStream(_ task: SessionTask) {}
  package func task(_ task: SessionTask, didReceiveInformational head: ResponseHead) {}
  package func task(_ task: SessionTask, didReceiveTrailers trailers: HeaderFields) {}
  package func taskDidReceiveEnd(_ task: SessionTask) {}
  package func taskDidUpgrade(_ task: SessionTask) {}
  package func taskNeedsBody(_ task: SessionTask, limit: Int) -> BodyChunk { .end }
  package func taskTrailers(_ task: SessionTask) -> HeaderFields? { nil }
  package func task(_ task: SessionTask, didSendBody count: Int) {}
  package func taskCanSendMore(_ task: SessionTask) {}
  package func taskDidGatherMetrics(_ task: SessionTask) {}
}

/// A session as its `SessionDelegate` sees it. All on the session's loop.
package protocol SessionStateProvider: AnyObject {
  /// The owner of a task, until the task has ended.
  func owner(of task: SessionTask) -> (any TaskOwner)?
  /// Hands further events of a task that has an owner to another one; `nil`: to nobody.
  func setOwner(_ owner: (any TaskOwner)?, of task: SessionTask)
  func didGatherMetrics(of task: SessionTask)
  func didCompleteTask(_ task: SessionTask, with error: TransportError?)
}

/// Knows the owner of each task of a session, and tells it when the task has ended. In the root context.
///
/// The session's delegate holds it, rather than the engine weakly: it is asked in every event.
final class TaskRegistry {
  private var tasks = RequestTaskMap()
  /// Completions that came before their metrics.
  private var waitingCompletions: [Int: TransportError?] = [:]

  /// Tasks that have not ended.
  var count: Int { tasks.count }

  func associate(_ owner: any TaskOwner, with task: SessionTask) {
    tasks.associate(owner, with: task)
  }
}

extension TaskRegistry: SessionStateProvider {
  func owner(of task: SessionTask) -> (any TaskOwner)? {
    tasks[task]
  }

  func setOwner(_ owner: (any TaskOwner)?, of task: SessionTask) {
    tasks.replaceOwner(of: task, by: owner)
  }

  func didGatherMetrics(of task: SessionTask) {
    guard let owner = tasks[task] else { return }
    owner.taskDidGatherMetrics(task)
    guard tasks.didGatherMetrics(for: task), let error = waitingCompletions.removeValue(forKey: task.taskIdentifier) else {
      return
    }
    owner.task(task, didCompleteWith: error)
  }

  func didCompleteTask(_ task: SessionTask, with error: TransportError?) {
    guard let owner = tasks[task] else { return }
    if tasks.didComplete(task) {
      owner.task(task, didCompleteWith: error)
    } else {
      waitingCompletions.updateValue(error, forKey: task.taskIdentifier)
    }
  }
}

/// The owner of each task, from the task's creation until the task has both completed and delivered its metrics.
///
/// One per session, touched only on the session's loop, hence without a lock.
struct RequestTaskMap {
  private struct Entry {
    var owner: any TaskOwner
    var completed = false
    var metricsGathered = false
  }

  private var entries: [Int: Entry] = [:]
  /// The task that was asked for last, while it is here: the next event is nearly always of the same, and is spared the search.
  private var latest: (identifier: Int, owner: any TaskOwner)?

  var count: Int { entries.count }

  var isEmpty: Bool { entries.isEmpty }

  /// The owners of all tasks.
  var owners: [any TaskOwner] { entries.values.map(\.owner) }

  subscript(task: SessionTask) -> (any TaskOwner)? {
    mutating get {
      if let latest, latest.identifier == task.taskIdentifier { return latest.owner }
      guard let owner = entries[task.taskIdentifier]?.owner else { return nil }
      latest = (task.taskIdentifier, owner)
      return owner
    }
  }

  mutating func associate(_ owner: any TaskOwner, with task: SessionTask) {
    let previous = entries.updateValue(Entry(owner: owner), forKey: task.taskIdentifier)
    precondition(previous == nil, "two owners share a task")
    latest = (task.taskIdentifier, owner)
  }

  mutating func replaceOwner(of task: SessionTask, by owner: (any TaskOwner)?) {
    latest = nil
    guard let index = entries.index(forKey: task.taskIdentifier) else { return }
    if let owner { entries.values[index].owner = owner } else { remove(at: index) }
  }

  /// Notes that the metrics came, and returns whether the completion had come before, in which case the task is removed.
  /// Repeated metrics are tolerated.
  mutating func didGatherMetrics(for task: SessionTask) -> Bool {
    guard let index = entries.index(forKey: task.taskIdentifier) else { return false }
    if entries.values[index].completed {
      remove(at: index)
      return true
    }
    entries.values[index].metricsGathered = true
    return false
  }

  /// Notes the completion and returns whether the metrics had come before, in which case the task is removed.
  mutating func didComplete(_ task: SessionTask) -> Bool {
    guard let index = entries.index(forKey: task.taskIdentifier) else { return false }
    if entries.values[index].metricsGathered {
      remove(at: index)
      return true
    }
    entries.values[index].completed = true
    return false
  }

  private mutating func remove(at index: Dictionary<Int, Entry>.Index) {
    let (identifier, _) = entries.remove(at: index)
    if latest?.identifier == identifier { latest = nil }
  }
}
