/// Finds, by order alone, what an exchange waited for that nothing else explains: something had ended, and then it began.
///
/// Exchanges are taken in the order of their schedule. What has ended and released nothing is *open*. The open exchange that
/// ended last is the cause, whatever time the client took then. If nothing that began beside the others is still in flight, the
/// client waited for all of them: a join in a program, `load` or `DOMContentLoaded` in a page.
struct OrderFinder: Sendable {
  private let exchanges: [CriticalExchange]
  private let times: [ExchangeTimes]
  private let tolerance: Int
  private let byEnd: [Int]
  private let load: LoadSet
  /// How many of `byEnd` have ended by now.
  private var ended = 0
  /// Ended and released nothing, in the order of their ends.
  private var open: [Int] = []
  /// In flight, or ended a moment ago.
  private var flying: [Int] = []
  /// For each exchange, the last that released it.
  private var sources: [Int]
  /// For each exchange, all that released it.
  private var releases: [[Int]]
  private var isAnswered: [Bool]
  /// The start that was explained last, and how: others of the same burst have the same reasons.
  private var latest: (start: Int, ended: Int, found: [Dependency])?

  /// An exchange that its known cause explains begins within this time.
  private static let promptness = 10_000_000
  /// Exchanges that begin together do so within this time.
  private static let burst = 5_000_000
  /// If nothing ends meanwhile, what begins within this time has the same reasons: a proxy sees a request when it is sent, which
  /// may be after a connection was opened for it.
  private static let longBurst = 25_000_000
  /// The source of exchanges that began by themselves.
  private static let none = -1
  /// How many open exchanges, and how many in flight, are looked at.
  private static let reach = 64
  /// The log has the event, and the exchange began right behind it.
  private static let contentLoadConfidence = 0.85
  /// How sure it is that a join waited for an exchange of another chain than the last one, beside that it waited at all.
  private static let otherChain = 0.6
  /// A client that takes this time for itself had other reasons, too.
  private static let longPause = 5_000_000_000

  /// - Parameter events: of the page, in the time of the exchanges.
  init(_ exchanges: [CriticalExchange], _ times: [ExchangeTimes], tolerance: Int, events: PageEvents) {
    self.exchanges = exchanges
    self.times = times
    self.tolerance = tolerance
    byEnd = times.indices.filter { exchanges[$0].awaiting != .nobody }
      .sorted { (times[$0].end, $0) < (times[$1].end, $1) }
    load = LoadSet(exchanges, times, events)
    sources = Array(repeating: Self.none, count: exchanges.count)
    releases = Array(repeating: [], count: exchanges.count)
    isAnswered = Array(repeating: false, count: exchanges.count)
  }

  /// The exchanges that released another one.
  func releasing(_ index: Int) -> [Int] { releases[index] }

  /// The exchange has these dependencies: what they name is answered.
  mutating func add(_ index: Int, after found: [Dependency]) {
    let releasing = found.filter { !$0.reason.isPlace }
    let last = releasing.max { times[$0.source].moment(of: $0.anchor) < times[$1.source].moment(of: $1.anchor) }
    sources[index] = last?.source ?? Self.none
    releases[index] = releasing.map(\.source)
    for dependency in found where dependency.reason != .referer && dependency.delayed == .start {
      isAnswered[dependency.source] = true
    }
    if exchanges[index].awaiting == .somebody { flying.append(index) }
  }

  /// The exchanges that another one waited for, by the order of ends and starts.
  ///
  /// - Parameters:
  ///   - release: when what is known of it had released it; `nil` if nothing is known.
  ///   - isKnown: whether something named its address.
  ///   - isPage: whether that is a page, or a part of one.
  mutating func causes(of index: Int, after release: Int?, isKnown: Bool, isPage: Bool) -> [Dependency] {
    let start = times[index].start
    advance(to: start)
    if let release, start - release <= max(Self.promptness, 2 * tolerance) { return [] }
    if let latest, latest.ended == ended, start - latest.start <= Self.longBurst {
      return latest.found.filter { $0.source < index && (release ?? .min) < times[$0.source].end }
    }
    let isLoaded = isPage && load.isOver(at: start + tolerance, before: index)
    // A program that was told the address needs no other reason, except for what ended a moment ago.
    let earliest = max(release ?? .min, isKnown && !isPage ? start - Self.promptness : .min)
    let candidates = open.suffix(Self.reach).filter { candidate in
      candidate < index && times[candidate].end <= start + tolerance && earliest < times[candidate].end
        && (!isPage || load.canHold(candidate, at: start, isOver: isLoaded))
        && !(isKnown && isPage && load.isMember(index) && !exchanges[candidate].isPartOfPage)
    }
    // Exchanges that released others while they were in flight still had to end.
    let before = byEnd[..<ended].suffix(Self.reach).filter { $0 < index && earliest < times[$0].end }
    if isPage, !isLoaded, let parsed = load.parsed(of: before, at: start + tolerance) {
      let found = parsed.reversed().map { Dependency(source: $0, reason: .join, confidence: Self.contentLoadConfidence) }
      latest = (start, ended, found)
      return found
    }
    let sure = candidates.filter { exchanges[$0].awaiting == .somebody }
    guard let source = sure.last ?? candidates.last else {
      return fallback(index, after: earliest, isKnown: isKnown, isPage: isPage)
    }
    let unfinished = unfinishedBursts(at: start, before: index, besides: source)
    // `load` waits for what the page needs. Programs of a page wait for what they asked for together.
    let others = sure.filter { other in
      guard other != source, !unfinished.contains(sources[other]) else { return false }
      guard isPage else { return true }
      return load.isMember(source) ? load.isMember(other) : sources[other] == sources[source]
    }
    let isQuiet = !unfinished.contains(sources[source])
    if !isQuiet, let turn = turn(of: index, after: source, candidates) { return turn }
    let reason: DependencyReason = others.isEmpty || !isQuiet ? .order : .join
    let pause = max(0, start - times[source].end)
    // Any of several chains may have gone on, after a pause of its own.
    let isMixed = isQuiet && pause > Self.burst && others.contains { sources[$0] != sources[source] }
    let confidence = confidence(
      pause: pause, waited: release.map { start - $0 }, isQuiet: isQuiet,
      isSure: exchanges[source].awaiting == .somebody && !isMixed)
    var found = [Dependency(source: source, reason: reason, confidence: confidence)]
    // One of another chain may have been waited for with these, or begun something of its own soon after.
    if isQuiet {
      found += others.map { other in
        let isOfChain = sources[other] == sources[source]
        return Dependency(source: other, reason: .join, confidence: confidence * (isOfChain ? 1 : Self.otherChain))
      }
    }
    latest = (start, ended, found)
    return found
  }

  /// A loop over many, so many at a time, begins the next when one of them has ended.
  private func turn(of index: Int, after source: Int, _ candidates: [Int]) -> [Dependency]? {
    let start = times[index].start
    guard start - times[source].end <= Self.promptness, exchanges[source].isAlike(exchanges[index]) else { return nil }
    // If a place was free before, it waited for something else.
    let isFull = candidates.allSatisfy { other in
      times[other].end > start - Self.promptness || !exchanges[other].isAlike(exchanges[index])
    }
    guard isFull else { return nil }
    return [Dependency(source: source, reason: .turn, confidence: 0.75)]
      + releasing(source).map { Dependency(source: $0, reason: .order, confidence: 0.3) }
  }

  /// Something that has released others already may have released this one, too, some time later.
  private func fallback(_ index: Int, after release: Int, isKnown: Bool, isPage: Bool) -> [Dependency] {
    let start = times[index].start
    // The parts of a page begin when its document names them, and a connection is free.
    guard !(isKnown && isPage && load.isMember(index)) else { return [] }
    // Exchanges before these ended too long ago, or among many.
    for source in byEnd[..<ended].suffix(Self.reach).reversed() {
      guard source < index, times[source].end <= start + tolerance, exchanges[source].awaiting == .somebody else { continue }
      guard times[source].end > release else { return [] }
      guard exchanges[source].continues || !isPage else { continue }
      let confidence = confidence(
        pause: max(0, start - times[source].end), waited: release == .min ? nil : start - release, isQuiet: false, isSure: false)
      return [Dependency(source: source, reason: .order, confidence: confidence)]
    }
    return []
  }

  /// How sure it is. A pause makes it less sure, beside the time that the exchange waited if that is known.
  private func confidence(pause: Int, waited: Int?, isQuiet: Bool, isSure: Bool) -> Double {
    let doubt = min(1, Double(pause) / Double(max(1, waited ?? Self.longPause)))
    return (isQuiet ? 0.85 : 0.7) * (1 - 0.6 * doubt) * (isSure ? 1 : 0.6)
  }

  /// Takes what ended until a moment.
  private mutating func advance(to start: Int) {
    while ended < byEnd.count, times[byEnd[ended]].end <= start + tolerance {
      open.append(byEnd[ended])
      ended += 1
    }
    open.removeAll { isAnswered[$0] }
    if open.count > 2 * Self.reach { open.removeFirst(open.count - Self.reach) }
    flying.removeAll { times[$0].end <= start - Self.longPause }
    if flying.count > 2 * Self.reach { flying.removeFirst(flying.count - Self.reach) }
  }

  /// The sources of bursts of which something is still in flight: itself, or what came of it. Nobody joined them yet.
  ///
  /// - Parameter cause: what it released belongs to the burst that begins now.
  private func unfinishedBursts(at start: Int, before index: Int, besides cause: Int) -> Set<Int> {
    var found: Set<Int> = []
    for flight in flying.reversed() {
      guard flight < index, times[flight].end > start + tolerance, sources[flight] != cause else { continue }
      var (source, steps) = (sources[flight], 0)
      while found.insert(source).inserted, source != Self.none, steps < Self.reach {
        source = sources[source]
        steps += 1
      }
    }
    return found
  }
}

extension CriticalExchange {
  /// Whether one loop can have begun both.
  func isAlike(_ other: CriticalExchange) -> Bool {
    method == other.method && URLTemplate(url).text == URLTemplate(other.url).text
  }

  /// Whether a browser reads it for addresses: programs do that with data.
  var isPartOfPage: Bool {
    switch type {
    case .document, .script, .style: true
    case .image, .font, .media, .fetch, .websocket, .other: false
    }
  }

  /// Whether a program may go on because of its response: documents, programs, styles and data let one, pictures do not.
  fileprivate var continues: Bool {
    switch type {
    case .document, .script, .style, .fetch, .other: true
    case .image, .font, .media, .websocket: false
    }
  }
}

/// `DOMContentLoaded` and `load` of a page, in nanoseconds; `nil` for what the log does not say.
struct PageEvents: Sendable, Hashable {
  var contentLoad: Int?
  var load: Int?

  func since(_ origin: Int) -> PageEvents {
    PageEvents(contentLoad: contentLoad.map { $0 - origin }, load: load.map { $0 - origin })
  }
}

/// The exchanges that a page needs for its `load`: pictures and fonts hold up nothing before.
private struct LoadSet: Sendable {
  private let moment: Int?
  private let contentLoad: Int?
  private let areParsed: [Bool]
  private let types: [ResourceType]
  private let times: [ExchangeTimes]
  private let starts: [Int]
  private let ends: [Int]
  private let areMembers: [Bool]

  /// The exchanges that an event needs end no later than this after it: the two may be of different clocks.
  private static let slack = 5_000_000
  /// An exchange that begins within this time after an event began because of it.
  private static let promptness = 10_000_000

  init(_ exchanges: [CriticalExchange], _ times: [ExchangeTimes], _ events: PageEvents) {
    moment = events.load
    contentLoad = events.contentLoad
    areParsed = exchanges.map { $0.isPartOfPage && $0.awaiting == .somebody }
    self.times = times
    types = exchanges.map(\.type)
    areMembers = exchanges.map { exchange in
      switch exchange.type {
      case .document, .script, .style, .image, .font, .media: exchange.awaiting == .somebody
      case .fetch, .websocket, .other: false
      }
    }
    let members = exchanges.indices.filter { [areMembers] in areMembers[$0] }
    starts = members.map { times[$0].start }.sorted()
    ends = members.map { times[$0].end }.sorted()
  }

  func isMember(_ index: Int) -> Bool { areMembers[index] }

  /// Whether everything that was under way has ended.
  func isOver(at start: Int, before index: Int) -> Bool {
    if let moment { return moment <= start }
    let own = areMembers[index] ? 1 : 0
    return starts.partitioned { $0 < times[index].start } - own <= ends.partitioned { $0 <= start }
  }

  /// The documents, scripts and style sheets that `DOMContentLoaded` waited for, in the order of their ends, if that was what
  /// began something at a moment.
  func parsed(of candidates: [Int], at start: Int) -> [Int]? {
    guard let contentLoad, (contentLoad...contentLoad + Self.promptness).contains(start) else { return nil }
    let parsed = candidates.filter { areParsed[$0] && times[$0].end <= contentLoad + Self.slack }
    return parsed.isEmpty ? nil : parsed
  }

  /// Whether an exchange can have held up one that begins at a moment.
  func canHold(_ candidate: Int, at start: Int, isOver: Bool) -> Bool {
    switch types[candidate] {
    case .document, .script, .style, .fetch, .other, .websocket: true
    case .image, .font, .media: isOver && (moment.map { times[candidate].end <= $0 + Self.slack } ?? true)
    }
  }
}
