internal import TapelineLoop

/// Which hosts are meant: one, all below one, or all.
///
/// `example.com` and addresses mean themselves; `*.example.com` means every name below `example.com`, at any depth, and not that name
/// itself; `*` means every host. Names have no case, and a trailing dot changes nothing (RFC 1034 3.1).
package struct HostPattern: Sendable, Hashable, CustomStringConvertible {
  private enum Form: Sendable, Hashable {
    case any
    case exactly(String)
    /// With the leading dot.
    case endingIn(String)
  }

  private let form: Form

  /// `nil` when `text` is no host and no pattern of one.
  package init?(_ text: String) {
    if text == "*" {
      form = .any
      return
    }
    if text.hasPrefix("*.") {
      guard let name = Self.normalizedName(text.dropFirst(2)) else { return nil }
      form = .endingIn(".\(name)")
      return
    }
    guard let host = Self.address(in: text) ?? Self.normalizedName(text[...]) else { return nil }
    form = .exactly(host)
  }

  /// - Parameter host: a name in any case, or an address with or without brackets.
  package func matches(_ host: String) -> Bool {
    switch form {
    case .any: true
    case .exactly(let own): own == Self.address(in: host) ?? Self.normalizedName(host[...])
    case .endingIn(let suffix):
      Self.address(in: host) == nil && Self.normalizedName(host[...]).map { $0.hasSuffix(suffix) } ?? false
    }
  }

  /// Whether it means no host but one.
  var isOneHost: Bool {
    switch form {
    case .any, .endingIn: false
    case .exactly: true
    }
  }

  package var description: String {
    switch form {
    case .any: "*"
    case .exactly(let host): host
    case .endingIn(let suffix): "*\(suffix)"
    }
  }

  /// The one spelling of an address.
  private static func address(in text: String) -> String? {
    let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
    return SocketAddress(literal: isBracketed ? String(text.dropFirst().dropLast()) : text, port: 0)?.host
  }

  private static func normalizedName(_ text: Substring) -> String? {
    let name = text.hasSuffix(".") ? text.dropLast() : text
    let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard labels.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isAllowedInName) }) else { return nil }
    return name.lowercased()
  }

  private static func isAllowedInName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default:
      false
    }
  }
}
