internal import TapelineBase

/// The priority of a response, as a client asks for it in `priority` or PRIORITY_UPDATE (RFC 9218 4).
package struct HTTP2Priority: Hashable, Sendable {
  /// From 0, the most urgent, to 7.
  package var urgency = 3
  /// Whether parts of the response are of use before it is complete.
  package var isIncremental = false

  package init() {}

  /// Reads a dictionary of structured fields. What is unknown or out of range counts as absent (RFC 9218 4).
  package init(fieldValue: String) {
    for member in fieldValue.split(separator: ",") {
      let parts = member.split(separator: ";", omittingEmptySubsequences: false)[0].split(separator: "=", maxSplits: 1)
      let key = parts.first.map { $0.trimmingBlanks } ?? ""
      let value = parts.count > 1 ? parts[1].trimmingBlanks : nil
      switch (key, value) {
      case ("u", let value?): if let urgency = Int(value), (0...7).contains(urgency) { self.urgency = urgency }
      case ("i", nil), ("i", "?1"): isIncremental = true
      case ("i", "?0"): isIncremental = false
      default: break
      }
    }
  }
}

extension Substring {
  fileprivate var trimmingBlanks: Substring {
    guard let first = firstIndex(where: { $0 != " " && $0 != "\t" }), let last = lastIndex(where: { $0 != " " && $0 != "\t" })
    else { return "" }
    return self[first...last]
  }
}
