internal import TapelineHAR
internal import TapelineText

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
