package import TapelineHAR
internal import TapelineBase

/// Reads a capture for its critical paths: first all exchanges without bodies, then the bodies. Memory holds some facts
/// for each exchange.
package struct CriticalPathSearch: Sendable {
  /// The parts that the first reading needs.
  package static let parts: HAREntryParts = [.fields, .custom]
  /// The parts that the second reading needs.
  package static let bodyParts: HAREntryParts = [.bodies, .custom]

  /// Exchanges without a start time.
  package private(set) var undated = 0
  /// Tunnels and WebSockets: their ends are not the end of any work.
  package private(set) var lifetimes = 0
  private var found: [String: [CriticalExchange]] = [:]
  private var titles: [String: String] = [:]
  /// By the id of the page.
  private var events: [String: PageEvents] = [:]
  private var finders: [String: DependencyFinder] = [:]
  private var places: [Int: (page: String, index: Int)] = [:]

  /// No page takes longer to load, in milliseconds.
  private static let longestLoad = 1e9

  package init() {}

  /// Pages may come before the entries or after them.
  package mutating func add(_ page: HARPage) {
    titles[page.id] = page.title
    guard let start = unixNanoseconds(ofDate: page.startedDateTime) else { return }
    func moment(_ time: Double?) -> Int? {
      time.flatMap { $0 > 0 && $0 < Self.longestLoad ? start + Int(($0 * 1e6).rounded()) : nil }
    }
    events[page.id] = PageEvents(contentLoad: moment(page.pageTimings.onContentLoad), load: moment(page.pageTimings.onLoad))
  }

  /// Takes an exchange of the first reading.
  ///
  /// - Parameter number: the place of the exchange in its file, from 1.
  package mutating func add(_ entry: HAREntry, number: Int) {
    guard !entry.request.asksForTunnel, !entry.hasSwitchedProtocols else {
      lifetimes += 1
      return
    }
    guard let exchange = CriticalExchange(entry, number: number) else {
      undated += 1
      return
    }
    found[entry.pageref ?? "", default: []].append(exchange)
  }

  /// Ends the first reading.
  ///
  /// - Parameter page: the title or id of the only page to look at; `nil` for all.
  /// - Returns: whether there is such a page.
  package mutating func select(page: String?) -> Bool {
    let chosen = found.filter { id, _ in page.map { $0 == id || $0 == titles[id] } ?? true }
    for (id, exchanges) in chosen {
      let finder = DependencyFinder(exchanges, events: events[id] ?? PageEvents())
      for (index, exchange) in finder.exchanges.enumerated() { places[exchange.number] = (id, index) }
      finders[id] = finder
    }
    found = [:]
    return page == nil || !chosen.isEmpty
  }

  /// Takes an exchange of the second reading.
  ///
  /// - Parameter limit: the number of bytes of the body to look at; `nil` for all.
  package mutating func readBody(of entry: HAREntry, number: Int, upTo limit: Int? = nil) {
    guard let place = places[number] else { return }
    finders[place.page]?.read(entry.response, of: place.index, upTo: limit)
  }

  /// In the order of their first exchanges.
  package var paths: [CriticalPath] {
    finders.map { id, finder in
      CriticalPath(page: id, title: titles[id].flatMap { $0.isEmpty ? nil : $0 } ?? id, finder)
    }.sorted { ($0.start, $0.title) < ($1.start, $1.title) }
  }
}
