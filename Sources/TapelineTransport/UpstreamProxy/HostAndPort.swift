/// A host, and perhaps a port, as people write them: `example.com`, `10.0.0.1:3128`, `[::1]:3128`, `::1`.
package enum HostAndPort {
  /// The host without brackets; `nil` when the text is none.
  package static func parse(_ text: Substring) -> (host: String, port: UInt16?)? {
    if text.first == "[" {
      guard let close = text.firstIndex(of: "]") else { return nil }
      let host = text[text.index(after: text.startIndex)..<close]
      let rest = text[text.index(after: close)...]
      guard host.contains(":") else { return nil }
      if rest.isEmpty { return (String(host), nil) }
      guard rest.first == ":", let port = port(rest.dropFirst()) else { return nil }
      return (String(host), port)
    }
    let colons = text.utf8.count { $0 == UInt8(ascii: ":") }
    guard colons == 1, let colon = text.firstIndex(of: ":") else {
      // None, or a bare IPv6 address.
      return isHost(text, allowsColons: colons > 1) ? (String(text), nil) : nil
    }
    let host = text[..<colon]
    guard isHost(host, allowsColons: false), let port = port(text[text.index(after: colon)...]) else { return nil }
    return (String(host), port)
  }

  /// 1 to 65535, in digits.
  package static func port(_ text: Substring) -> UInt16? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
    return UInt16(text).flatMap { $0 == 0 ? nil : $0 }
  }

  private static func isHost(_ text: Substring, allowsColons: Bool) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
          UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
          true
        case UInt8(ascii: ":"), UInt8(ascii: "%"): allowsColons
        default: false
        }
      }
  }
}
