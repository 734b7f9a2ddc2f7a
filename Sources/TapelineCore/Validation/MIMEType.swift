internal import TapelineText

/// A media type or a range of them (RFC 9110 8.3.1, 12.5.1), compared without regard to case and parameters.
struct MIMEType: Hashable {
  let type: String
  let subtype: String

  /// `nil` for text that is not `type/subtype`: without a slash, with more than one, or with nothing on one side of it.
  init?(_ text: String) {
    let parts = MediaType(text).essence.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
    type = String(parts[0])
    subtype = String(parts[1])
  }

  /// `*/*`.
  var isWildcard: Bool { type == "*" && subtype == "*" }

  /// Whether `other` is in this range.
  func matches(_ other: MIMEType) -> Bool {
    (type == "*" || type == other.type) && (subtype == "*" || subtype == other.subtype)
  }
}
