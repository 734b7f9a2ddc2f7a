internal import TapelineText

/// Numeric IP addresses as text.
enum AddressText {
  /// Whether the text is an IPv4 or IPv6 address and nothing else: no port, no brackets, no zone.
  static func isBare(_ text: some StringProtocol) -> Bool {
    IPAddress(text).map { $0.zone == nil } ?? false
  }

  /// The address in a text that contains more than an address, or `nil` if it contains no address.
  static func bare(in text: String) -> String? {
    // Java writes `host/address`.
    var rest = text[(text.lastIndex(of: "/").map(text.index(after:)) ?? text.startIndex)...]
    if rest.first == "[" {
      guard let end = rest.firstIndex(of: "]") else { return nil }
      rest = rest[rest.index(after: rest.startIndex)..<end]
    } else if rest.filter({ $0 == ":" }).count == 1, let colon = rest.firstIndex(of: ":") {
      rest = rest[..<colon]
    }
    if let zone = rest.firstIndex(of: "%") { rest = rest[..<zone] }
    return isBare(rest) ? String(rest) : nil
  }
}
