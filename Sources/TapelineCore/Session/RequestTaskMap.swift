internal import TapelineTransport

/// Which request a task belongs to, from the task's creation until it has both completed and delivered its metrics.
///
/// One per session, touched only on the session's loop, hence without a lock.
struct RequestTaskMap {
  private struct Entry {
    let request: Request
    var completed = false
    var metricsGathered = false
  }

  private var entries: [Int: Entry] = [:]

  var count: Int { entries.count }

  subscript(task: SessionTask) -> Request? {
    entries[task.taskIdentifier]?.request
  }

  mutating func associate(_ request: Request, with task: SessionTask) {
    let previous = entries.updateValue(Entry(request: request), forKey: task.taskIdentifier)
    precondition(previous == nil, "two requests share a task")
  }

  /// Notes that the metrics came; dissolves the pair if the completion came before.
  mutating func didGatherMetrics(for task: SessionTask) {
    guard let index = entries.index(forKey: task.taskIdentifier) else { return }
    if entries.values[index].completed {
      entries.remove(at: index)
    } else {
      entries.values[index].metricsGathered = true
    }
  }

  /// Notes the completion and answers whether the metrics had come, which dissolves the pair.
  mutating func didComplete(_ task: SessionTask) -> Bool {
    guard let index = entries.index(forKey: task.taskIdentifier) else { return false }
    if entries.values[index].metricsGathered {
      entries.remove(at: index)
      return true
    }
    entries.values[index].completed = true
    return false
  }
}
