package import TapelineHAR
internal import TapelineBase

/// The exchanges of a capture by their start times, in groups. Memory holds all exchanges to draw, without their
/// headers and bodies.
package struct Waterfall: Sendable {
  let grouping: WaterfallGrouping
  private var bars: [String: [WaterfallBar]] = [:]
  private var pages: [String: HARPage] = [:]
  private var connections: [String: [String]] = [:]
  /// Connections whose exchanges may overlap.
  private var multiplexed: Set<String> = []
  /// Exchanges without a start time.
  private(set) var undated = 0
  package private(set) var count = 0

  package init(grouping: WaterfallGrouping) {
    self.grouping = grouping
  }

  /// The parts of an entry that the waterfall needs: the bodies of streams, for their events.
  package var parts: HAREntryParts { RecordedStream.parts }

  /// Pages may come before the entries or after them.
  package mutating func add(_ page: HARPage) {
    pages[page.id] = page
  }

  /// - Parameter number: the place of the exchange in its file, from 1.
  package mutating func add(_ entry: HAREntry, number: Int) {
    guard let bar = WaterfallBar(entry, number: number) else {
      undated += 1
      return
    }
    count += 1
    bars[key(of: entry), default: []].append(bar)
  }

  private mutating func key(of entry: HAREntry) -> String {
    switch grouping {
    case .page: return entry.pageref ?? ""
    case .none: return ""
    case .connection:
      guard let connection = entry.custom[.connectionID]?.string ?? entry.connection, !connection.isEmpty else { return "" }
      // Without ids, as in Firefox's logs, only the port tells connections apart.
      let address = entry.serverIPAddress ?? ""
      let key = entry.custom[.connectionID] == nil ? "\(address) \(connection)" : connection
      if connections[key] == nil {
        connections[key] = [address, entry.custom[.tls]?["version"]?.string ?? ""].filter { !$0.isEmpty }
        if let version = RecordedVersion(entry), version.number ?? 0 >= 2 {
          connections[key]?.append(version.name)
          multiplexed.insert(key)
        }
      }
      return key
    }
  }

  /// In the order of their first exchanges.
  var groups: [WaterfallGroup] {
    bars.map { key, bars in
      let sorted = bars.sorted { ($0.start, $0.number) < ($1.start, $1.number) }
      return WaterfallGroup(title: title(of: key), remarks: remarks(on: key, sorted), bars: sorted)
    }.sorted { ($0.span.lowerBound, $0.title) < ($1.span.lowerBound, $1.title) }
  }

  private func title(of key: String) -> String {
    switch grouping {
    case .none: "all exchanges"
    case .connection: key.isEmpty ? "no connection" : "connection \(key)".printable
    case .page: key.isEmpty ? "no page" : (pages[key].map { $0.title.isEmpty ? key : $0.title } ?? key).printable
    }
  }

  private func remarks(on key: String, _ bars: [WaterfallBar]) -> [String] {
    switch grouping {
    case .none: return []
    case .connection:
      let count = multiplexed.contains(key) ? Self.mostAtOnce(bars) : 0
      return connections[key, default: []].map(\.printable) + (count > 1 ? ["up to \(count) at once"] : [])
    case .page:
      guard let timings = pages[key]?.pageTimings else { return [] }
      return [("content", timings.onContentLoad), ("loaded", timings.onLoad)].compactMap { name, time in
        time.flatMap { $0 >= 0 ? "\(name) \(DurationText.compact($0))" : nil }
      }
    }
  }
}

extension Waterfall {
  /// The most exchanges in flight at one time. One that begins when another ends does not overlap it.
  private static func mostAtOnce(_ bars: [WaterfallBar]) -> Int {
    let starts = bars.map { (instant: $0.start, change: 1) }
    let ends = bars.map { (instant: max($0.end, $0.start.addingSaturating(1)), change: -1) }
    var (count, most) = (0, 0)
    for event in (starts + ends).sorted(by: { ($0.instant, $0.change) < ($1.instant, $1.change) }) {
      count += event.change
      most = max(most, count)
    }
    return most
  }
}

/// Exchanges that are drawn under one heading.
struct WaterfallGroup: Sendable {
  var title: String
  /// Other facts about the group: when a page was loaded, where a connection leads.
  var remarks: [String]
  /// In the order of their starts.
  var bars: [WaterfallBar]

  /// From the first start to the last end, in nanoseconds since 1970.
  var span: Range<Int> {
    let start = bars.first?.start ?? 0
    return start..<max(start, bars.lazy.map(\.end).max() ?? 0)
  }

  /// In milliseconds.
  var duration: Double { milliseconds(in: span) }

  /// The common start of all URLs: `https://host:port`; `nil` when they differ.
  var commonOrigin: String? {
    guard let first = bars.first.map({ origin(of: $0.url) }), bars.allSatisfy({ origin(of: $0.url) == first }) else { return nil }
    return first
  }
}

/// The length in milliseconds of a span in nanoseconds, which may be longer than an `Int` holds.
func milliseconds(in span: Range<Int>) -> Double {
  (Double(span.upperBound) - Double(span.lowerBound)) / 1e6
}

/// Scheme and authority of a URL; empty if one of them is missing.
func origin(of url: String) -> String {
  let ranges = URIRanges(url)
  guard ranges.scheme != nil, let authority = ranges.authority else { return "" }
  return String(url[utf8: 0..<authority.upperBound])
}

/// The criterion by which a waterfall groups exchanges.
package enum WaterfallGrouping: String, CaseIterable, Sendable {
  /// Each page has its own time scale.
  case page
  /// The connection to the server; all groups share one scale, so that idle times show.
  case connection
  /// All exchanges together.
  case none

  /// Whether every group begins at its own first exchange.
  var hasOwnScales: Bool {
    switch self {
    case .page: true
    case .connection, .none: false
    }
  }
}

/// One exchange of a waterfall.
struct WaterfallBar: Sendable {
  let number: Int
  let method: String
  let url: String
  let outcome: String
  let outcomeStyle: TerminalStyle
  let isFailed: Bool
  /// Nanoseconds since 1970.
  let start: Int
  /// The length of the bar in milliseconds. `total` is the figure beside it: the bar also shows the client's own part.
  let time: Double
  /// `nil` if it is not known.
  let total: Double?
  let phases: PhaseDurations
  /// The cause of a slow transfer.
  let limit: String?
  let stream: StreamTicks?

  /// `nil` when the log does not say when the exchange began.
  init?(_ entry: HAREntry, number: Int) {
    guard let start = unixNanoseconds(ofDate: entry.startedDateTime) else { return nil }
    self.start = start
    self.number = number
    method = entry.request.method.printable
    url = entry.request.url.printable
    outcome = ExchangeOutcome(entry).text
    outcomeStyle = ExchangeCell.outcomeStyle(of: entry)
    isFailed = RecordedFailure(entry) != nil
    time = entry.duration ?? 0
    total = entry.total
    phases = PhaseDurations(entry)
    // A stream is as fast as its events, which is no news of it.
    stream = StreamTicks(entry)
    limit = TransferLimit(entry).flatMap { $0.isOfSender && entry.isStream ? nil : $0.text.printable }
  }

  /// Nanoseconds since 1970.
  var end: Int { start.addingSaturating(Int(saturating: min(time, 1e12) * 1e6)) }
}
