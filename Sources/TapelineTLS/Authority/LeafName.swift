internal import CTapeline
internal import TapelineText

/// The name that a leaf is for: a host name or an address, in the form that clients compare.
package enum LeafName: Hashable, Sendable {
  /// In lower case, without the root's dot.
  case dns(String)
  /// The original text, and 4 or 16 bytes in network order.
  case address(String, [UInt8])

  /// - Parameter host: a DNS name or an address literal without brackets, as sent by the client: it may contain anything.
  package init(host: String) throws(AuthorityError) {
    let name = Self.normalized(host)
    if let address = IPAddress(name) {
      self = .address(name, address.bytes)
    } else if Self.isHostName(name) {
      self = .dns(name)
    } else {
      throw AuthorityError(
        .hostName, what: "no certificate for \(host.debugDescription)", why: "that is no host name",
        remedy: "use letters, digits, hyphens, underscores and dots, at most 253")
    }
  }

  /// One spelling for each name: ASCII in lower case, without the root's dot.
  static func normalized(_ host: String) -> String {
    let bytes = host.utf8
    let count = bytes.last == UInt8(ascii: ".") ? bytes.count - 1 : bytes.count
    guard count < bytes.count || bytes.contains(where: Byte.isUppercase) else { return host }
    return String(decoding: bytes.prefix(count).map(Byte.lowercased), as: UTF8.self)
  }

  var text: String {
    switch self {
    case .dns(let name), .address(let name, _): name
    }
  }

  /// RFC 1035, 2.3.4, with underscores, which are in use; internationalized names arrive as A-labels.
  private static func isHostName(_ name: String) -> Bool {
    guard name.utf8.count <= 253 else { return false }
    return name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
      (1...63).contains(label.count) && label.allSatisfy(isHostNameByte)
    }
  }

  private static func isHostNameByte(_ byte: UInt8) -> Bool {
    Byte.isLowercase(byte) || Byte.isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }
}
