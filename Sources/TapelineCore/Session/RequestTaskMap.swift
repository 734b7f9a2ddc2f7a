internal import TapelineTransport

/// Whom a task belongs to, one to one, from the task's creation until it has both completed and delivered its metrics.
///
/// One per session, touched only on the session's loop, hence without a lock.
struct RequestTaskMap {
  private struct Entry {
    let owner: any TaskOwner
    var completed = false
    var metricsGathered = false
  }

  private var entries: [Int: Entry] = [:]

  var count: Int { entries.count }

  var isEmpty: Bool { entries.isEmpty }

  /// Of all pairs.
  var owners: [any TaskOwner] { entries.values.map(\.owner) }

  subscript(task: SessionTask) -> (any TaskOwner)? {
    entries[task.taskIdentifier]?.owner
  }

  mutating func associate(_ owner: any TaskOwner, with task: SessionTask) {
    let previous = entries.updateValue(Entry(owner: owner), forKey: task.taskIdentifier)
    precondition(previous == nil, "two owners share a task")
  }

  /// Notes that the metrics came, and answers whether the completion had come before, which dissolves the pair. Metrics that come again are
  /// tolerated.
  mutating func didGatherMetrics(for task: SessionTask) -> Bool {
    guard let index = entries.index(forKey: task.taskIdentifier) else { return false }
    if entries.values[index].completed {
      entries.remove(at: index)
      return true
    }
    entries.values[index].metricsGathered = true
    return false
  }

  /// Notes the completion and answers whether the metrics had come before, which dissolves the pair.
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
