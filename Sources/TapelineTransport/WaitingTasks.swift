/// Tasks that wait, in the order in which they were made, no matter when they began to wait.
struct WaitingTasks {
  /// The tasks before `head` have been taken.
  private var tasks: [SessionTask?] = []
  private var head = 0

  /// Some of the tasks may have ended meanwhile.
  var count: Int { tasks.count - head }

  var isEmpty: Bool { count == 0 }

  mutating func insert(_ task: SessionTask) {
    var index = tasks.endIndex
    // Most often the task is the newest.
    while index > head, let before = tasks[index - 1], before.taskIdentifier > task.taskIdentifier { index -= 1 }
    tasks.insert(task, at: index)
  }

  /// Takes out the first task that can go on. Tasks that have ended are dropped; suspended tasks keep their place.
  mutating func next() -> SessionTask? {
    var index = head
    while index < tasks.count {
      guard let task = tasks[index] else { preconditionFailure("a task was taken twice") }
      switch task.state {
      case .running:
        remove(at: index)
        return task
      case .suspended:
        index += 1
      case .canceling, .completed:
        // The next task is where this one was, or first of all.
        let wasFirst = index == head
        remove(at: index)
        if wasFirst { index = head }
      }
    }
    return nil
  }

  private mutating func remove(at index: Int) {
    guard index == head else {
      tasks.remove(at: index)
      return
    }
    tasks[index] = nil
    head += 1
    // Constant time on average, however long the line gets.
    guard head > tasks.count / 2 else { return }
    tasks.removeFirst(head)
    head = 0
  }
}
