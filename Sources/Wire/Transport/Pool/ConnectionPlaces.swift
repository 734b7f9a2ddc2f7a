internal import TapelineLoop
internal import TapelineTime

/// Decides which tasks may open a connection and which must wait: connections are limited per route and in all, and each needs a
/// descriptor. Tasks wait in the order in which they were made. Loop-bound.
///
/// It is for the connections that all tasks share. Connections that belong to one client of the proxy are limited by that client
/// alone.
package final class ConnectionPlaces {
  package struct Limits: Sendable {
    /// Connections to one route, busy, idle or on their way.
    package var perRoute: Int
    /// Connections in all.
    package var total: Int
    /// How long a task waits for a descriptor while we have had no connection that could end; `nil`: as long as it takes.
    package var patience: Duration?

    package init(perRoute: Int, total: Int, patience: Duration?) {
      self.perRoute = perRoute
      self.total = total
      self.patience = patience
    }
  }

  /// Time between two attempts to get a descriptor, when none of our own connections ends.
  private static let lookPause = Duration.milliseconds(50)

  private let loop: EventLoop
  private let limits: Limits
  private let pool: ConnectionPool
  /// Lets a task that waited go on, on an idle connection or by `admits`.
  private let proceed: (SessionTask) -> Void

  private var taken: [Route: Int] = [:]
  private var takenInAll = 0
  /// When a connection last gave its place back: its descriptor may follow a little later.
  private var lastChange: MonotonicInstant?
  /// Tasks that wait for a place at their route.
  private var lines: [Route: WaitingTasks] = [:]
  /// Tasks that wait for a place in all, or for a descriptor.
  private var line = WaitingTasks()
  /// There was no descriptor for one of the tasks in `line`.
  private var isShort = false
  /// The number of tasks that may try again because of what has happened since, while there are no descriptors.
  private var looks = 0
  /// Routes at which a place or a connection has become free.
  private var freed: Set<Route> = []
  private var isScheduled = false
  /// The task that goes on now, ahead of all others.
  private var served: SessionTask?
  private var timer: Timer?

  init(loop: EventLoop, limits: Limits, pool: ConnectionPool, proceed: @escaping (SessionTask) -> Void) {
    self.loop = loop
    self.limits = limits
    self.pool = pool
    self.proceed = proceed
  }

  // MARK: Places

  private enum Shortage {
    case atRoute
    case inAll
  }

  private func shortage(at route: Route) -> Shortage? {
    if takenInAll >= limits.total { return .inAll }
    return taken[route, default: 0] >= limits.perRoute ? .atRoute : nil
  }

  /// Takes a place for a connection of the task. The task waits if there is no place, or if others wait already.
  func admits(_ task: SessionTask, to route: Route) -> Bool {
    // An idle connection that this task cannot use gives up its place.
    switch shortage(at: route) {
    case .inAll: pool.closeOldest()
    case .atRoute: pool.expire()
    case nil: break
    }
    let isFirst = goesFirst(task)
    switch shortage(at: route) {
    case .inAll:
      queue(task, at: nil)
    case .atRoute:
      queue(task, at: route)
    case nil where !isFirst && !line.isEmpty:
      queue(task, at: nil)
      look(at: nil)
    case nil where !isFirst && lines[route] != nil:
      queue(task, at: route)
      look(at: route)
    case nil:
      taken[route, default: 0] += 1
      takenInAll += 1
      return true
    }
    return false
  }

  /// Whether the task may have an idle connection. If not, it waits after the tasks that have waited longer.
  func isNext(_ task: SessionTask, at route: Route) -> Bool {
    if goesFirst(task) { return true }
    if !line.isEmpty {
      queue(task, at: nil)
      look(at: nil)
      return false
    }
    guard lines[route] != nil else { return true }
    queue(task, at: route)
    look(at: route)
    return false
  }

  /// - Parameter route: where the task waits; `nil`: for a place in all, or for a descriptor.
  private func queue(_ task: SessionTask, at route: Route?) {
    task.carrier = PlaceInLine(of: self, at: route)
    if let route { lines[route, default: WaitingTasks()].insert(task) } else { line.insert(task) }
  }

  /// A task that has begun goes on before tasks that have not.
  private func goesFirst(_ task: SessionTask) -> Bool {
    served === task || task.metrics.attempts > 1
  }

  /// A connection that had a place has ended, or could not be opened.
  func release(_ route: Route) {
    guard let count = taken[route] else { preconditionFailure("a place was given back that nobody had") }
    taken[route] = count > 1 ? count - 1 : nil
    takenInAll -= 1
    lastChange = .now
    look(at: route)
  }

  /// A connection that had a place idles.
  func didFree(_ route: Route) {
    look(at: route)
  }

  /// There was a descriptor for a connection: there may be more.
  func didConnect() {
    if isShort { look(at: nil) }
  }

  /// Makes a task wait whose connection could not be opened for want of a descriptor. `false`: the task has waited for too long,
  /// and we have no connection that could end.
  func awaitsDescriptor(_ task: SessionTask) -> Bool {
    if takenInAll == 0, let patience = limits.patience, let queued = task.metrics.marks[.queued],
      MonotonicInstant.now.duration(since: max(queued, lastChange ?? queued)) >= patience
    {
      look(at: nil)
      return false
    }
    queue(task, at: nil)
    isShort = true
    pool.closeOldest()
    startTimer()
    return true
  }

  // MARK: Those who wait

  fileprivate func look(at route: Route?) {
    guard !line.isEmpty || !lines.isEmpty else { return }
    if isShort { looks += 1 }
    if let route { freed.insert(route) }
    guard !isScheduled else { return }
    isScheduled = true
    loop.enqueueLocal { [weak self] in self?.serve() }
  }

  private func serve() {
    isScheduled = false
    let routes = freed
    freed = []
    for route in routes { serve(route) }
    // Without descriptors, tasks try their luck one at a time; otherwise as many go on as there are places.
    var left = isShort ? looks : line.count
    looks = 0
    while left > 0, takenInAll < limits.total || pool.closeOldest(), let task = line.next() {
      left -= 1
      goOn(task)
    }
    guard line.isEmpty else { return }
    isShort = false
    timer = nil
  }

  /// Each task that waits at the route goes on once at most. A task that still finds no place waits on.
  private func serve(_ route: Route) {
    guard let count = lines[route]?.count else { return }
    for _ in 0..<count {
      let task = lines[route]?.next()
      if lines[route]?.isEmpty == true { lines[route] = nil }
      guard let task else { break }
      goOn(task)
      // This task waits again, so there is nothing for the tasks after it.
      if task.carrier is PlaceInLine, task.isUnderWay { break }
    }
  }

  private func goOn(_ task: SessionTask) {
    served = task
    proceed(task)
    served = nil
  }

  private func startTimer() {
    guard timer == nil else { return }
    let timer = Timer(loop: loop) { [weak self] in
      guard let self else { return }
      look(at: nil)
      self.timer?.start(after: Self.lookPause)
    }
    timer.start(after: Self.lookPause)
    self.timer = timer
  }
}

/// Carries a task that waits for a place.
private final class PlaceInLine: TaskCarrier {
  private weak var places: ConnectionPlaces?
  private let route: Route?

  let reached = TransportError.Phase.connect

  init(of places: ConnectionPlaces, at route: Route?) {
    self.places = places
    self.route = route
  }

  func resumeReceiving() {
    places?.look(at: route)
  }
}

/// Tasks that wait, in the order in which they were made, no matter when they began to wait.
private struct WaitingTasks {
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
