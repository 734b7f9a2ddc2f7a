/// The name under which a proxy stands in `Via` (RFC 9110 7.6.3): a request that bears it has been here before.
package struct Pseudonym: Hashable, Sendable {
  package let text: String

  /// Of a proxy that goes to origins directly: who names it has come round in a circle.
  package static let common = Pseudonym(text: "tapeline")

  /// Of a proxy that goes to another one, which may be of its own kind: no other process has this name.
  package static func unique() -> Pseudonym {
    // With six digits the whole is as long as a string can be without being allocated.
    let digits = String(UInt32.random(in: 0x10_0000...0xFF_FFFF), radix: 16)
    return Pseudonym(text: "\(common.text)-\(digits)")
  }

  private init(text: String) {
    self.text = text
  }

  /// What `Via` says of a message that was received in `version`.
  package func fieldValue(received version: HTTPVersion) -> String {
    "\(version.major).\(version.minor) \(text)"
  }

  /// Whether `Via` has the name among the proxies that a message came through. Hosts have no case, and nor has this.
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
