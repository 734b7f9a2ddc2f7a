internal import TapelineHAR
internal import TapelineBase

/// Finds what each exchange of a page or command waited for. It takes time in proportion to n log n, and memory for a few
/// dependencies per exchange.
struct DependencyFinder: Sendable {
  /// In the order of the schedule.
  private(set) var exchanges: [CriticalExchange]
  private(set) var times: [ExchangeTimes]
  /// How inexact the starts are: many programs log whole milliseconds.
  private let tolerance: Int
  private let byText: AddressIndex
  private let byPlace: AddressIndex
  let connections: ConnectionUse
  private let reader: MentionReader
  /// The bodies that mention each exchange, by their exchanges.
  private var mentions: [[Mention]]
  private let events: PageEvents

  private struct Mention: Sendable {
    let source: Int
    /// Whether the query was there, too.
    let isWhole: Bool
  }

  /// More bodies than this mention a link of every page: the latest count.
  private static let mentionLimit = 3
  /// A connection that is wanted is used again within this time.
  private static let turnaround = 10_000_000

  /// - Parameter events: of the page, in nanoseconds since 1970.
  init(_ found: [CriticalExchange], events: PageEvents = PageEvents()) {
    let awaited = found.lazy.filter { $0.awaiting == .somebody }.map(\.start).min()
    let origin = awaited ?? found.lazy.map(\.start).min() ?? 0
    self.events = events.since(origin)
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
    for index in connections.openers {
      (times[index].opening, times[index].setUp) = (exchanges[index].opening, exchanges[index].setUp)
    }
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
    if type.essence == "text/html" {
      for reference in IconLinks(in: limit.map { Array(body.prefix($0)) } ?? body).references {
        guard let address = WebAddress.Base(own).resolving(reference), let (target, _) = target(of: address, after: index) else {
          continue
        }
        exchanges[target].awaiting = .nobody
        found[target] = nil
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
    let hasDocument = exchanges.contains { $0.type == .document && $0.awaiting == .somebody }
    var order = OrderFinder(exchanges, times, tolerance: tolerance, events: events)
    return times.indices.map { index in
      var found: [Dependency]
      if let source = redirects[index] {
        found = [dependency(of: index, on: source, .redirect, 0.98)]
        found += connection(of: index, known: nil)
      } else {
        found = causes(of: index)
        if let source = retry(of: index, after: release(of: found)) {
          found.append(dependency(of: index, on: source, .retry, 0.9))
        } else {
          let isKnown = !found.isEmpty
          // An exchange that nothing names belongs to the page, if there is one: browsers name no reason for some requests.
          let isPage = isKnown ? found.contains { exchanges[$0.source].isPartOfPage } : hasDocument
          // A referer does not say when the client knew the address.
          found += connection(of: index, known: release(of: found.filter { $0.reason != .referer }))
          if found.isEmpty { found = turn(of: index, order) }
          found += order.causes(of: index, after: release(of: found), isKnown: isKnown, isPage: isPage)
        }
      }
      order.add(index, after: found)
      return found
    }
  }

  /// For each exchange, whether the page can end with it: somebody waited for it, to its end.
  var areEnds: [Bool] {
    let complete = exchanges.indices.filter { exchanges[$0].awaiting != .nobody && !exchanges[$0].isCutOff }
    let sure = complete.filter { exchanges[$0].awaiting == .somebody }
    let end = (sure.isEmpty ? complete : sure).lazy.map { times[$0].end }.max() ?? 0
    return exchanges.indices.map { index in
      switch exchanges[index].awaiting {
      case .nobody: false
      // A client that is done leaves what it did not wait for.
      case .somebody where exchanges[index].isCutOff: times[index].start >= end
      case .somebody: true
      case .doubtful: times[index].start >= end && !exchanges[index].isCutOff
      }
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

  /// The exchanges that named the address: by the browser's own word, in bodies, or at least by the referer.
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
      isFull(before: end, for: index, atLeast: 1)
    else { return [] }
    let confidence = 0.9 - 0.4 * Double(max(0, start - end)) / Double(Self.turnaround)
    return [Dependency(source: previous, reason: .connection, confidence: confidence)]
  }

  /// Whether all connections were occupied just before a moment: several may have become free together.
  private func isFull(before end: Int, for index: Int, atLeast least: Int) -> Bool {
    [end, end - Self.turnaround].contains { connections.wasFull(before: $0, for: exchanges[index], atLeast: least) }
  }

  /// A client that has several in flight, all that its connections can carry, begins the next when one of them is free. What
  /// released the one before on the connection had released this one, too.
  private func turn(of index: Int, _ order: OrderFinder) -> [Dependency] {
    guard let previous = connections.previous[index] else { return [] }
    let (end, start) = (times[previous].end, times[index].start)
    guard (end - tolerance...end + Self.turnaround).contains(start),
      isFull(before: end, for: index, atLeast: 2)
    else { return [] }
    let common = order.releasing(previous).filter { times[$0].end <= start }
    // An exchange that differs from the one before may be the next step of the same work.
    let confidence = exchanges[previous].isAlike(exchanges[index]) ? 0.8 : 0.55
    return [Dependency(source: previous, reason: .connection, confidence: confidence)]
      + common.map { Dependency(source: $0, reason: .order, confidence: 0.3) }
  }
}
