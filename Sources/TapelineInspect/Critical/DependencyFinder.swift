internal import TapelineHAR
internal import TapelineText

/// Finds what each exchange of a page or command waited for. It takes time in proportion to n log n, and memory for a few
/// dependencies per exchange.
struct DependencyFinder: Sendable {
  /// In the order of the schedule.
  let exchanges: [CriticalExchange]
  private(set) var times: [ExchangeTimes]
  /// How inexact the starts are: many programs log whole milliseconds.
  private let tolerance: Int
  private let byText: AddressIndex
  private let byPlace: AddressIndex
  let connections: ConnectionUse
  private let reader: MentionReader
  /// The bodies that mention each exchange, by their exchanges.
  private var mentions: [[Mention]]

  private struct Mention: Sendable {
    let source: Int
    /// Whether the query was there, too.
    let isWhole: Bool
  }

  /// More bodies than this mention a link of every page: the latest count.
  private static let mentionLimit = 3
  /// An exchange that nothing else explains follows another within this time.
  private static let longestPause = 250_000_000
  /// An exchange that has another explanation begins right after a third exchange within this time.
  private static let shortPause = 50_000_000
  /// A connection that is wanted is used again within this time.
  private static let turnaround = 10_000_000
  /// A queue of requests has the next one ready.
  private static let handover = 500_000

  init(_ found: [CriticalExchange]) {
    let origin = found.lazy.map(\.start).min() ?? 0
    let sorted = found.map { (exchange: $0, times: $0.times(from: origin)) }.sorted { left, right in
      let (a, b) = (left.times, right.times)
      return (a.ready, a.start, left.exchange.number) < (b.ready, b.start, right.exchange.number)
    }
    exchanges = sorted.map(\.exchange)
    times = sorted.map(\.times)
    tolerance = exchanges.allSatisfy { $0.start % 1_000_000 == 0 } ? 1_500_000 : 50_000
    byText = AddressIndex(exchanges, times) { $0.text[...] }
    byPlace = AddressIndex(exchanges, times) { $0.place }
    connections = ConnectionUse(exchanges, times, tolerance: tolerance)
    for index in connections.openers { times[index].opening = exchanges[index].opening }
    mentions = Array(repeating: [], count: exchanges.count)
    reader = MentionReader(knowing: exchanges.lazy.compactMap(\.address))
  }

  // MARK: Bodies

  /// Looks for the addresses of later exchanges in the body of a response.
  ///
  /// - Parameter limit: the number of bytes of the body to look at; `nil` for all.
  mutating func read(_ response: HARResponse, of index: Int, upTo limit: Int?) {
    let type = MediaType(response.content.mimeType)
    guard let own = exchanges[index].address, !type.isMedia, case .bytes(let body) = LoggedBody(response: response) else {
      return
    }
    // A script's references are relative to the document that it is part of.
    var bases = [WebAddress.Base(own)]
    if !["text/html", "text/css"].contains(type.essence), let document = exchanges[index].referer {
      bases.append(WebAddress.Base(document))
    }
    var found: [Int: Bool] = [:]
    reader.read(body.span.extracting(first: limit ?? body.count)) { text in
      for base in bases {
        guard let address = base.resolving(text), let (target, isWhole) = target(of: address, after: index) else { continue }
        found[target] = found[target] == true || isWhole
      }
    }
    for (target, isWhole) in found { add(Mention(source: index, isWhole: isWhole), to: target) }
  }

  /// The first request for an address after the response had begun to arrive.
  private func target(of address: WebAddress, after source: Int) -> (index: Int, isWhole: Bool)? {
    let moment = times[source].firstByte - tolerance
    if let index = byText.first(of: address.text[...], from: moment, after: source, times) { return (index, true) }
    // A program adds the rest of the query.
    guard let index = byPlace.first(of: address.place, from: moment, after: source, times),
      exchanges[index].address?.text.hasPrefix(address.text) == true
    else { return nil }
    return (index, false)
  }

  private mutating func add(_ mention: Mention, to target: Int) {
    mentions[target].append(mention)
    guard mentions[target].count > 2 * Self.mentionLimit else { return }
    mentions[target] = latest(of: mentions[target])
  }

  /// The latest mentions.
  private func latest(of found: [Mention]) -> [Mention] {
    found.sorted { times[$0.source].firstByte > times[$1.source].firstByte }.prefix(Self.mentionLimit).map(\.self)
  }

  // MARK: Dependencies

  /// For each exchange, what it waited for.
  var dependencies: [[Dependency]] {
    let redirects = self.redirects
    let byEnd = times.indices.sorted { (times[$0].end, $0) < (times[$1].end, $1) }
    var bursts = Bursts(count: times.count)
    return times.indices.map { index in
      var found: [Dependency]
      var joined: [Dependency] = []
      if let source = redirects[index] {
        found = [dependency(of: index, on: source, .redirect, 0.98)]
        found += connection(of: index, known: nil)
      } else {
        found = causes(of: index)
        if let source = retry(of: index, after: release(of: found)) {
          found.append(dependency(of: index, on: source, .retry, 0.9))
          bursts.add(index, after: found, times)
          return found
        }
        // A referer does not say when the client knew the address.
        found += connection(of: index, known: release(of: found.filter { $0.reason != .referer }))
        if found.isEmpty { found = turn(of: index, bursts) }
        if let previous = order(of: index, after: release(of: found), hasCause: !found.isEmpty, byEnd) {
          found.append(previous)
          // A client that began several at a time waited for all of them, if it did nothing after the others.
          let others = bursts.unanswered(beside: previous.source, before: index, times)
          for other in others where !found.contains(where: { $0.source == other }) && exchanges[other].continues {
            joined.append(Dependency(source: other, reason: .order, confidence: previous.confidence * 0.8))
          }
        }
      }
      bursts.add(index, after: found, times)
      return found + joined
    }
  }

  /// The moment when the last of these had released the exchange.
  private func release(of found: [Dependency]) -> Int? {
    found.lazy.filter { $0.delayed == .start }.map { times[$0.source].moment(of: $0.anchor) }.max()
  }

  /// Each redirect leads to the next request for its target.
  private var redirects: [Int: Int] {
    var sources: [Int: Int] = [:]
    for (index, exchange) in exchanges.enumerated() {
      guard let target = exchange.redirect else { continue }
      let moment = times[index].firstByte - tolerance
      guard let next = byText.first(of: target.text[...], from: moment, after: index, times), sources[next] == nil else {
        continue
      }
      sources[next] = index
    }
    return sources
  }

  private func dependency(
    of index: Int, on source: Int, _ reason: DependencyReason, _ confidence: Double
  ) -> Dependency {
    let hasEnded = times[source].end <= times[index].start + tolerance
    return Dependency(source: source, reason: reason, confidence: confidence, anchor: hasEnded ? .end : .firstByte)
  }

  /// What named the address: the browser's own word, bodies, or at least the referer.
  private func causes(of index: Int) -> [Dependency] {
    let exchange = exchanges[index]
    let initiator = exchange.initiator.flatMap { latest($0, before: index) }
    let referer = exchange.referer.flatMap { latest($0, before: index) }
    var found = initiator.map { [dependency(of: index, on: $0, .initiator, 0.95)] } ?? []
    let mentioning = mentions[index].filter { $0.source < index && $0.source != initiator }
    // A document that names its parts also sends its address with them.
    let document = mentioning.filter { $0.source == referer }
    for mention in document.isEmpty ? latest(of: mentioning) : document {
      found.append(dependency(of: index, on: mention.source, .mention, mention.isWhole ? 0.9 : 0.7))
    }
    if found.isEmpty, let referer { found.append(dependency(of: index, on: referer, .referer, 0.5)) }
    return found
  }

  /// The same request, if it was over when the exchange began, and nothing that names the address came after it.
  private func retry(of index: Int, after release: Int?) -> Int? {
    guard let address = exchanges[index].address, let source = latest(address, before: index), exchanges[source].isRetriable,
      exchanges[source].method == exchanges[index].method, times[source].end <= times[index].start + tolerance
    else { return nil }
    return release.map { $0 <= times[source].end } ?? true ? source : nil
  }

  private func latest(_ address: WebAddress, before index: Int) -> Int? {
    byText.last(of: address.text[...], from: times[index].start, before: index, times, tolerance: tolerance)
  }

  /// - Parameter known: when the client knew the address; `nil` if the log does not show it.
  private func connection(of index: Int, known: Int?) -> [Dependency] {
    guard let previous = connections.previous[index] else { return [] }
    let (end, start) = (times[previous].end, times[index].start)
    if end > start + tolerance {
      guard end <= times[index].ready + tolerance else { return [] }
      return [Dependency(source: previous, reason: .connection, confidence: 0.95, delayed: .sending)]
    }
    guard let known, known < end - tolerance, start - end <= Self.turnaround,
      connections.wasFull(before: end, for: exchanges[index])
    else { return [] }
    let confidence = 0.9 - 0.4 * Double(max(0, start - end)) / Double(Self.turnaround)
    return [Dependency(source: previous, reason: .connection, confidence: confidence)]
  }

  /// A client that has several in flight, all that its connections can carry, begins the next when one of them is free. What
  /// released the one before on the connection had released this one, too.
  private func turn(of index: Int, _ bursts: Bursts) -> [Dependency] {
    guard let previous = connections.previous[index] else { return [] }
    let (end, start) = (times[previous].end, times[index].start)
    guard (end - tolerance...end + Self.handover).contains(start),
      connections.wasFull(before: end, for: exchanges[index], atLeast: 2)
    else { return [] }
    let common = bursts.releasing(previous).filter { times[$0].end <= start }
    return [Dependency(source: previous, reason: .connection, confidence: 0.6)]
      + common.map { Dependency(source: $0, reason: .order, confidence: 0.3) }
  }

  /// The exchange that had just ended, if it explains the start better than anything else.
  private func order(of index: Int, after release: Int?, hasCause: Bool, _ byEnd: [Int]) -> Dependency? {
    let start = times[index].start
    let waited = release.map { start - $0 }
    if let waited, waited <= 2 * max(tolerance, 1_000_000) { return nil }
    var place = byEnd.partitioned { times[$0].end <= start + tolerance }
    // A look at a few is enough: what ended before them ended too long ago, or among many.
    for _ in 0..<32 where place > 0 {
      place -= 1
      let source = byEnd[place]
      guard source < index, !hasCause || exchanges[source].continues else { continue }
      let pause = max(0, start - times[source].end)
      let window = waited.map { min(Self.shortPause, $0 / 2) } ?? Self.longestPause
      guard pause <= window else { return nil }
      let doubt = Double(pause) / Double(max(1, window))
      return Dependency(source: source, reason: .order, confidence: (hasCause ? 0.5 : 0.6) - 0.3 * doubt)
    }
    return nil
  }
}

/// Exchanges that the same exchange released, and whether anything came of them.
private struct Bursts {
  private var siblings: [Int: [Int]] = [:]
  /// For each exchange, the last that released it.
  private var sources: [Int]
  private var isAnswered: [Bool]

  /// How many of a burst are looked at.
  private static let reach = 16
  /// The source of exchanges that began by themselves.
  private static let none = -1

  init(count: Int) {
    sources = Array(repeating: Self.none, count: count)
    isAnswered = Array(repeating: false, count: count)
  }

  /// - Parameter found: without those that the exchange only waited for, too: others of its burst did the same.
  mutating func add(_ index: Int, after found: [Dependency], _ times: [ExchangeTimes]) {
    let releasing = found.filter { $0.reason != .connection }
    let last = releasing.max { times[$0.source].moment(of: $0.anchor) < times[$1.source].moment(of: $1.anchor) }
    sources[index] = last?.source ?? Self.none
    siblings[sources[index], default: []].append(index)
    for dependency in releasing where dependency.reason != .referer { isAnswered[dependency.source] = true }
  }

  /// What released an exchange.
  func releasing(_ index: Int) -> [Int] { sources[index] == Self.none ? [] : [sources[index]] }

  /// Those that were in flight together with `source`, ended before it, and released nothing.
  func unanswered(beside source: Int, before target: Int, _ times: [ExchangeTimes]) -> [Int] {
    siblings[sources[source], default: []].suffix(Self.reach).filter { other in
      other != source && other < target && !isAnswered[other] && times[other].end > times[source].start
        && times[other].end <= times[source].end
    }
  }
}

/// The exchanges by their addresses, each in the order of their starts.
private struct AddressIndex: Sendable {
  /// For each address, the places of its exchanges in `order`.
  private let groups: [Substring: Range<Int>]
  private let order: [Int]

  /// How many of the same address are looked at.
  private static let reach = 16

  init(_ exchanges: [CriticalExchange], _ times: [ExchangeTimes], _ key: (WebAddress) -> Substring) {
    var counts: [Substring: Int] = [:]
    for exchange in exchanges { exchange.address.map { counts[key($0), default: 0] += 1 } }
    var end = 0
    var groups = counts.mapValues { count in
      defer { end += count }
      return end..<end
    }
    var order = Array(repeating: 0, count: end)
    for index in exchanges.indices.sorted(by: { (times[$0].start, $0) < (times[$1].start, $1) }) {
      guard let address = exchanges[index].address, let group = groups[key(address)] else { continue }
      order[group.upperBound] = index
      groups[key(address)] = group.lowerBound..<group.upperBound + 1
    }
    self.groups = groups
    self.order = order
  }

  /// The first that began at a moment or later.
  func first(of key: Substring, from moment: Int, after source: Int, _ times: [ExchangeTimes]) -> Int? {
    guard let found = groups[key].map({ order[$0] }) else { return nil }
    let place = found.partitioned { times[$0].start < moment }
    return found[place...].prefix(Self.reach).first { $0 > source }
  }

  /// The last that had begun to answer at a moment.
  func last(of key: Substring, from moment: Int, before target: Int, _ times: [ExchangeTimes], tolerance: Int) -> Int? {
    guard let found = groups[key].map({ order[$0] }) else { return nil }
    let place = found.partitioned { times[$0].start <= moment }
    return found[..<place].suffix(Self.reach).last { $0 < target && times[$0].firstByte <= moment + tolerance }
  }
}
