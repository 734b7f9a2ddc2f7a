package import TapelineHAR

/// The exchanges of a capture by their start times, in groups. Memory holds all exchanges to draw, without their
/// headers and bodies.
package struct Waterfall: Sendable {
  let grouping: WaterfallGrouping
  private var bars: [String: [WaterfallBar]] = [:]
  private var pages: [String: HARPage] = [:]
  private var connections: [String: [String]] = [:]
  /// Exchanges without a start time.
  private(set) var undated = 0
  package private(set) var count = 0

  package init(grouping: WaterfallGrouping) {
    self.grouping = grouping
  }

  /// The parts of an entry that the waterfall needs: nothing large.
  package var parts: HAREntryParts {
    switch grouping {
    case .page, .none: .overview
    case .connection: .custom
    }
  }

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
      guard let connection = entry.custom["_connectionId"]?.string ?? entry.connection, !connection.isEmpty else { return "" }
      // Without ids, as in Firefox's logs, only the port tells connections apart.
      let address = entry.serverIPAddress ?? ""
      let key = entry.custom["_connectionId"] == nil ? "\(address) \(connection)" : connection
      if connections[key] == nil {
        connections[key] = [address, entry.custom["_tls"]?["version"]?.string ?? ""].filter { !$0.isEmpty }
      }
      return key
    }
  }

  /// In the order of their first exchanges.
  var groups: [WaterfallGroup] {
    bars.map { key, bars in
      let sorted = bars.sorted { ($0.start, $0.number) < ($1.start, $1.number) }
      return WaterfallGroup(title: title(of: key), remarks: remarks(on: key), bars: sorted)
    }.sorted { ($0.span.lowerBound, $0.title) < ($1.span.lowerBound, $1.title) }
  }

  private func title(of key: String) -> String {
    switch grouping {
    case .none: "all exchanges"
    case .connection: key.isEmpty ? "no connection" : "connection \(key)".printable
    case .page: key.isEmpty ? "no page" : (pages[key].map { $0.title.isEmpty ? key : $0.title } ?? key).printable
    }
  }

  private func remarks(on key: String) -> [String] {
    switch grouping {
    case .none: return []
    case .connection: return connections[key, default: []].map(\.printable)
    case .page:
      guard let timings = pages[key]?.pageTimings else { return [] }
      return [("content", timings.onContentLoad), ("loaded", timings.onLoad)].compactMap { name, time in
        time.flatMap { $0 >= 0 ? "\(name) \(DurationText.compact($0))" : nil }
      }
    }
  }
}
