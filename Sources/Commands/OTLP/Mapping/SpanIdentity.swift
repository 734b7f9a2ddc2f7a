internal import TapelineBase
internal import TapelineDigest
package import TapelineHAR

/// The page of an exchange, which is its trace.
package struct SpanPage: Hashable, Sendable {
  package let id: String
  /// As it is shown. A title without its secrets may take its place: the trace remains the same.
  package var title: String
  /// Tells the page from others: when it was begun, in microseconds since 1970 (the precision of the log), its id and its title.
  fileprivate let key: String

  package init(id: String, title: String, began: Int) {
    self.id = id
    self.title = title
    key = "\(began) \(id) \(title)"
  }

  /// From a log's list of pages.
  package init(_ page: HARPage) {
    self.init(id: page.id, title: page.title, began: (unixNanoseconds(ofDate: page.startedDateTime) ?? 0) / 1_000)
  }
}

/// Makes identifiers from what the capture says, so that a second export of the same capture gives the same ones, and so does the
/// export of the log of a recording that was exported while it ran.
///
/// Only members that neither redaction nor a filter changes are used.
struct SpanIdentity {
  let trace: TraceID
  let span: SpanID

  /// - Parameter number: the place of the entry in its log, for logs that do not number their exchanges.
  init(of entry: HAREntry, in page: SpanPage?, number: Int) {
    let exchange = entry.custom[.exchangeID]?.integer.map(String.init)
    let port = entry.custom[.clientPort]?.integer.map(String.init)
    let own: [String] = [
      page?.key ?? "", entry.startedDateTime, exchange ?? "entry \(number)", entry.custom[.clientAddress]?.string ?? "",
      port ?? "", entry.request.method,
    ]
    let words = Self.words(of: own)
    span = SpanID(words.2)
    // An exchange without a page is a trace by itself.
    trace = page.map(Self.trace) ?? TraceID(high: words.0, low: words.1)
  }

  static func trace(of page: SpanPage) -> TraceID {
    let words = words(of: [page.key])
    return TraceID(high: words.0, low: words.1)
  }

  static func span(ofConnection name: String, in trace: TraceID) -> SpanID {
    SpanID(words(of: ["connection", name, String(trace.high, radix: 16), String(trace.low, radix: 16)]).0)
  }

  /// The identifier of the part with this number of a span: SplitMix64's finaliser, which maps no two numbers to one.
  static func part(_ number: Int, of span: SpanID) -> SpanID {
    var generator = SeededGenerator(seed: span.value, skipping: UInt64(number + 1))
    return SpanID(generator.next())
  }

  /// The first words of the SHA-256 of the texts, each with its length before it.
  private static func words(of texts: [String]) -> (UInt64, UInt64, UInt64) {
    let message = texts.map { "\($0.utf8.count):\($0)" }.joined()
    let digest = MessageDigest.sha256.digest(of: Array(message.utf8).span)
    func word(_ index: Int) -> UInt64 {
      digest[index * 8..<index * 8 + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }
    return (word(0), word(1), word(2))
  }
}
