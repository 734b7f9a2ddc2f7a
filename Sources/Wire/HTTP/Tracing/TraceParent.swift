internal import TapelineBase

/// The place of a request in a distributed trace, from a `traceparent` field (W3C Trace Context, 3.2):
/// `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`.
package struct TraceParent: Hashable, Sendable {
  /// 32 digits in lower case, not all zero: the same for all requests of the trace.
  package let traceID: String
  /// 16 digits in lower case, not all zero: the span that sent the request.
  package let parentID: String
  /// Whether the sender may have recorded the span.
  package let isSampled: Bool

  /// `nil` for a malformed value. A version that we do not know may go on after the flags (3.2.4).
  package init?(_ value: String) {
    let fields = value.utf8.split(separator: UInt8(ascii: "-"), maxSplits: 4, omittingEmptySubsequences: false)
    guard fields.count >= 4, zip(fields, [2, 32, 16, 2]).allSatisfy({ Self.isHexadecimal($0, count: $1) }) else { return nil }
    guard !fields[0].elementsEqual("ff".utf8), fields.count == 4 || !fields[0].elementsEqual("00".utf8) else { return nil }
    guard !Self.isZero(fields[1]), !Self.isZero(fields[2]) else { return nil }
    traceID = String(decoding: fields[1], as: UTF8.self)
    parentID = String(decoding: fields[2], as: UTF8.self)
    isSampled = UInt8(String(decoding: fields[3], as: UTF8.self), radix: 16).map { $0 & 1 == 1 } ?? false
  }

  private static func isHexadecimal(_ text: Substring.UTF8View, count: Int) -> Bool {
    text.count == count
      && text.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
      }
  }

  private static func isZero(_ digits: Substring.UTF8View) -> Bool {
    digits.allSatisfy { $0 == UInt8(ascii: "0") }
  }
}
