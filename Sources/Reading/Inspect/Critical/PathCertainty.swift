/// How sure the figures of a critical path are: a path is as sure as its least sure step.
///
/// An exchange beside the path seems not to have delayed the end, but it did if a step on the path waited for it and not for what
/// seemed to be its cause. So its slack is as sure as the steps that came after its end.
struct PathCertainty {
  private let schedule: Schedule
  private let steps: [Step]
  private let path: Set<Int>
  /// For each exchange, the place that others waited for, as a server or a loop.
  private let pools: [Int?]
  /// Exchanges whose figures are of a replay, which knows who would have had the place instead.
  private let replayed: Set<Int>
  /// The client's own time that nothing explains, if it is a large part of the path and something had ended in it.
  private(set) var unexplained: (time: Int, next: Int, ended: Int, pause: Int)?

  /// An exchange on the path that waited for another.
  private struct Step {
    let index: Int
    /// The confidence in its binding dependency.
    let confidence: Double
    let release: Int
    let start: Int
    /// Whether nothing but the order says so.
    let isByOrder: Bool
    /// The confidence in this step and all that follow.
    var rest: Double
  }

  /// A part of the path in which other exchanges may end without being its cause: the time of a client's turn.
  private static let longGap = 25_000_000
  /// A client that has what it waited for goes on within this time.
  private static let promptness = 10_000_000
  /// Pauses of one client are alike: others are at most so many times as long as that on the path.
  private static let reach = 3
  /// How sure it is that an exchange which ended in a long gap was not its cause.
  private static let doubt = 0.5
  /// In parts of the path.
  private static let largeGap = (parts: 3, of: 10)

  init(_ schedule: Schedule, _ path: [Int], pools: [Int?], replayed: Set<Int>) {
    self.schedule = schedule
    self.path = Set(path)
    self.pools = pools
    self.replayed = replayed
    var steps = path.dropFirst().compactMap { index -> Step? in
      guard let binding = schedule.binding(index).max(by: { $0.confidence < $1.confidence }) else { return nil }
      let release = schedule.times[binding.source].moment(of: binding.anchor)
      let start = binding.delayed == .start ? schedule.times[index].start : schedule.times[index].ready
      return Step(
        index: index, confidence: binding.confidence, release: release, start: start,
        isByOrder: binding.reason == .order || binding.reason == .join, rest: binding.confidence)
    }
    for place in steps.indices.reversed().dropFirst() { steps[place].rest = min(steps[place].rest, steps[place + 1].rest) }
    self.steps = steps
    unexplained = largestGap()
  }

  /// For each exchange, from 0 to 1.
  var confidences: [Double] {
    let times = schedule.times
    var found = times.indices.map { confidence(of: $0) }
    for index in held where !path.contains(index) { found[index] = min(found[index], Self.doubt) }
    // An exchange that another one caused may have delayed the end in its place.
    for index in times.indices.reversed() {
      for dependency in schedule.binding(index) where !path.contains(dependency.source) {
        found[dependency.source] = min(found[dependency.source], found[index])
      }
    }
    return found
  }

  /// On the path, as sure as all steps after the exchange; beside it, as the one that began next after its end.
  private func confidence(of index: Int) -> Double {
    let times = schedule.times[index]
    guard !path.contains(index) else {
      let place = steps.partitioned { $0.start <= times.start }
      return place < steps.count ? steps[place].rest : 1
    }
    let place = steps.partitioned { $0.start < times.end }
    guard place < steps.count else { return 1 }
    let step = steps[place]
    let gap = step.start - step.release
    // If two ended within the client's time before the step, either can be the one that it followed. So can one of those that it
    // seems to have waited for together, after a pause of its own.
    // A step whose cause something names needs no other, unless the client took its time.
    let isNear = step.release - gap < times.end && (step.isByOrder || gap > Self.longGap)
    let join = schedule.dependencies[step.index].first { $0.source == index && $0.reason == .join }
    let isJoined = join != nil && step.start - times.end <= Self.reach * gap
    let confidence = min(step.confidence, join?.confidence ?? 1)
    return gap > Self.promptness && (isNear || isJoined) ? min(Self.doubt, confidence) : confidence
  }

  /// The exchanges that had a place when one on the path waited for one, or before: it may have had that one instead.
  private var held: [Int] {
    let occupying = Set(schedule.dependencies.joined().lazy.filter(\.reason.isPlace).map(\.source)).subtracting(replayed)
    // For each place, the last moment at which the path waited for one.
    var last: [Int: Int] = [:]
    for step in steps where schedule.dependencies[step.index].contains(where: \.reason.isPlace) {
      guard let pool = pools[step.index] else { continue }
      last[pool] = max(last[pool] ?? 0, step.start)
    }
    return occupying.filter { index in pools[index].flatMap { last[$0] }.map { schedule.times[index].start < $0 } ?? false }
  }

  private func largestGap() -> (time: Int, next: Int, ended: Int, pause: Int)? {
    guard let gap = steps.max(by: { $0.start - $0.release < $1.start - $1.release }) else { return nil }
    let time = gap.start - gap.release
    guard time > schedule.end / Self.largeGap.of * Self.largeGap.parts else { return nil }
    let times = schedule.times
    let inGap = times.indices.filter { index in
      schedule.slacks[index] != nil && times[index].end > gap.release && times[index].end <= gap.start
    }
    guard let ended = inGap.max(by: { times[$0].end < times[$1].end }) else { return nil }
    return (time, gap.index, ended, gap.start - times[ended].end)
  }
}
