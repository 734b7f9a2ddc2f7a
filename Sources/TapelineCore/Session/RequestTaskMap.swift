internal import TapelineTransport

/// Which request a task belongs to, one to one, from the task's creation until it has both completed and delivered its metrics.
///
/// One per session, touched only on the session's loop, hence without a lock.
struct RequestTaskMap {
  struct Entry {
    let request: Request
    /// Decides about redirections and challenges; `nil` for a request that is forwarded.
    let followUps: FollowUps?
    fileprivate var completed = false
    fileprivate var metricsGathered = false

    init(request: Request, followUps: FollowUps?) {
      self.request = request
      self.followUps = followUps
    }
  }

  private var entries: [Int: Entry] = [:]

  var count: Int { entries.count }

  var isEmpty: Bool { entries.isEmpty }

  /// Of all pairs.
  var requests: [Request] { entries.values.map(\.request) }

  subscript(task: SessionTask) -> Entry? {
    entries[task.taskIdentifier]
  }

  mutating func associate(_ request: Request, followUps: FollowUps? = nil, with task: SessionTask) {
    let previous = entries.updateValue(Entry(request: request, followUps: followUps), forKey: task.taskIdentifier)
    precondition(previous == nil, "two requests share a task")
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
