/// A host for comparisons: an address, or a name in ASCII lower case without the root's dot (RFC 1034 3.1, RFC 9110 4.2.3).
package enum Host: Sendable, Hashable {
  case address(IPAddress)
  case name(String)

  /// - Parameter text: a name in any case, or an address with or without brackets. Anything that is not an address is a name.
  package init(_ text: some StringProtocol) {
    let name = text.utf8.count > 1 && text.hasSuffix(".") ? Substring(text.dropLast()) : Substring(text)
    let isBracketed = name.hasPrefix("[") && name.hasSuffix("]")
    if let address = IPAddress(isBracketed ? name.dropFirst().dropLast() : name) {
      self = .address(address)
    } else {
      self = .name(name.withoutCapitals)
    }
  }

  /// Whether it is a name below `domain`, which is in lower case, at any depth. A name is not below itself.
  package func isBelow(_ domain: some StringProtocol) -> Bool {
    switch self {
    case .address: false
    case .name(let name): canHaveSubdomains && name.hasSuffix(".\(domain)")
    }
  }

  /// Whether hosts below it can exist. No host is below an address, and systems take every name that ends in a number for
  /// some form of an address (URL Standard 3.5).
  package var canHaveSubdomains: Bool {
    switch self {
    case .address: false
    case .name(let name):
      !name.utf8.reversed().prefix { $0 != UInt8(ascii: ".") }.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
  }

  /// Whether it is `localhost` or below: the loopback, whatever a resolver says (RFC 6761 6.3).
  package var isLocalhost: Bool {
    switch self {
    case .address: false
    case .name(let name): name == "localhost" || name.hasSuffix(".localhost")
    }
  }
}

extension Host: CustomStringConvertible {
  /// Without brackets.
  package var description: String {
    switch self {
    case .address(let address): address.description
    case .name(let name): name
    }
  }
}

extension StringProtocol {
  /// The text with ASCII capitals in lower case: names of hosts have no other case.
  package var withoutCapitals: String {
    let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
    guard utf8.contains(where: capitals.contains) else { return String(self) }
    return String(decoding: utf8.map { capitals.contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
