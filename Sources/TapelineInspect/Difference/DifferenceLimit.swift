/// A limit that makes a comparison fail, as people write it: `p95 +10%`, `new errors`. `docs/diff.md` has the forms.
package struct DifferenceLimit: Sendable {
  enum Subject: Hashable, Sendable {
    case percentile(Double, TimedPart)
    case amount(Amount)
  }

  /// The amounts that are counted for a whole capture.
  enum Amount: String, CaseIterable, Hashable, Sendable {
    /// Bytes of decoded response bodies, and of response bodies on the wire.
    case size
    case wire
    /// The number of exchanges.
    case count
    case errors
  }

  enum Growth: Hashable, Sendable {
    /// In percent of the value before.
    case percent(Double)
    /// In milliseconds, bytes, or exchanges.
    case amount(Double)
  }

  /// Events that must not happen at all.
  enum Event: String, CaseIterable, Hashable, Sendable {
    case newErrors = "new errors"
    case newRequests = "new requests"
    case newHosts = "new hosts"
    case removedRequests = "removed requests"
    case changedStatus = "changed status"
    case changedRedirects = "changed redirects"
    case changedHeaders = "changed headers"
  }

  enum Condition: Hashable, Sendable {
    /// A negative growth limits how far the value may fall.
    case growth(Subject, Growth, each: Bool)
    case event(Event)
  }

  package let text: String
  let condition: Condition

  package init(_ text: String) throws(QueryError) {
    self.text = text
    condition = try DifferenceLimitParser.parse(text)
  }
}
