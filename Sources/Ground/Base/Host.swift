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
      !name.utf8.reversed().prefix { $0 != UInt8(ascii: ".") }.allSatisfy(Byte.isDigit)
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
  @inlinable
  package var withoutCapitals: String {
    guard utf8.contains(where: Byte.isUppercase) else { return String(self) }
    return String(decoding: utf8.map(Byte.lowercased), as: UTF8.self)
  }
}

/// A host, and perhaps a port, as people write them: `example.com`, `10.0.0.1:3128`, `[::1]:3128`, `::1`.
package struct HostAndPort: Sendable, Hashable {
  /// As written, without brackets.
  package let host: String
  package let port: UInt16?

  /// `nil` when the text contains anything else: a scheme, a name and a password, a path, an empty port.
  ///
  /// - Parameter allowsPortZero: whether 0, with which the system chooses, is a port.
  package init?(_ text: some StringProtocol, allowsPortZero: Bool = false) {
    if let address = IPAddress(text), address.isIPv6 {
      host = String(text)
      port = nil
      return
    }
    let bytes = Array(text.utf8)
    let ranges = AuthorityRanges(bytes.span, in: bytes.indices)
    let host = String(decoding: bytes[ranges.host], as: UTF8.self)
    guard ranges.userinfo == nil, let bare = Self.bare(host) else { return nil }
    self.host = bare
    guard let digits = ranges.port else {
      port = nil
      return
    }
    guard let port = Authority.port(String(decoding: bytes[digits], as: UTF8.self)), port > 0 || allowsPortZero else {
      return nil
    }
    self.port = port
  }

  /// The host without brackets: an IPv6 address must have them, other hosts must not.
  private static func bare(_ host: String) -> String? {
    if host.hasPrefix("[") {
      let literal = host.dropFirst().dropLast()
      return host.hasSuffix("]") && IPAddress(literal)?.isIPv6 == true ? String(literal) : nil
    }
    return !host.isEmpty && host.utf8.allSatisfy(ByteSet.hostName.contains) ? host : nil
  }
}
