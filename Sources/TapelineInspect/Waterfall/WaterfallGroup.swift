internal import TapelineHAR
internal import TapelineText

/// Exchanges that are drawn under one heading.
struct WaterfallGroup: Sendable {
  var title: String
  /// What else the log says of it: when a page was loaded, where a connection leads.
  var remarks: [String]
  /// In the order in which they began.
  var bars: [WaterfallBar]

  /// From the first beginning to the last end, in nanoseconds since 1970.
  var span: Range<Int> {
    let start = bars.first?.start ?? 0
    return start..<max(start, bars.lazy.map(\.end).max() ?? 0)
  }

  /// In milliseconds.
  var duration: Double { milliseconds(in: span) }

  /// What all URLs begin with: `https://host:port`; `nil` when they differ.
  var commonOrigin: String? {
    guard let first = bars.first.map({ origin(of: $0.url) }), bars.allSatisfy({ origin(of: $0.url) == first }) else { return nil }
    return first
  }
}

/// The length of a stretch of time in nanoseconds, which may be longer than an `Int` holds.
func milliseconds(in span: Range<Int>) -> Double {
  (Double(span.upperBound) - Double(span.lowerBound)) / 1e6
}

/// Scheme and authority of a URL; empty where it has not both.
func origin(of url: String) -> String {
  let ranges = URIRanges(url)
  guard ranges.scheme != nil, let authority = ranges.authority else { return "" }
  return String(url[utf8: 0..<authority.upperBound])
}
