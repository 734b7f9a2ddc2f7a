/// The name of a proxy in `Via` (RFC 9110 7.6.3): a request that has our name has been here before.
package struct Pseudonym: Hashable, Sendable {
  package let text: String

  /// The prefix of every name.
  private static let prefix = "tapeline-"
  private static let digitCount = 6

  /// No other process has this name: the next proxy on the way may be another tapeline.
  package static func unique() -> Pseudonym {
    // With six digits the name just fits into a string that needs no allocation.
    let digits = String(UInt32.random(in: 0x10_0000...0xFF_FFFF), radix: 16)
    return Pseudonym(text: prefix + digits)
  }

  private init(text: String) {
    self.text = text
  }

  /// Whether a line of `Via` names exactly one proxy, which is a tapeline.
  static func isOnlyMember(of value: String) -> Bool {
    let words = value.split(whereSeparator: { $0 == " " || $0 == "\t" })
    guard words.count == 2, words[1].hasPrefix(prefix) else { return false }
    let digits = words[1].dropFirst(prefix.count)
    return digits.count == digitCount && digits.allSatisfy(\.isHexDigit)
  }

  /// The entry in `Via` for a message that was received in `version`.
  package func fieldValue(received version: HTTPVersion) -> String {
    "\(version.major).\(version.minor) \(text)"
  }

  /// Whether `Via` lists the name among the proxies that a message came through, in any case: hosts are case-insensitive.
  package func isNamed(in fields: HeaderFields) -> Bool {
    guard fields.contains(.via) else { return false }
    return fields.values(of: .via).contains { value in
      value.split(separator: ",").contains { member in
        let words = member.split(whereSeparator: { $0 == " " || $0 == "\t" })
        return words.count >= 2 && words[1].lowercased() == text
      }
    }
  }
}
