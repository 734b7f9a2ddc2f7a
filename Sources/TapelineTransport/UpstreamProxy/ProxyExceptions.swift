internal import TapelineLoop

/// Which origins are reached without the upstream proxy.
///
/// A list in the manner of `NO_PROXY`, separated by commas or blanks. Each member is one of
/// - `*`: everything;
/// - `example.com`: this host and every host below it; `.example.com` or `*.example.com`: only those below it;
/// - `10.0.0.1`, `::1`, `[::1]`: this address, however a URL spells it;
/// - `10.0.0.0/8`, `fe80::/10`: every address of the block;
///
/// and may end in `:port`, if it is no block, to hold for that port alone (an IPv6 address then needs brackets).
public struct ProxyExceptions: Hashable, Sendable {
  private enum Subject: Hashable, Sendable {
    case everything
    case host(String)
    /// With its leading dot.
    case below(String)
    case block(AddressBlock)
  }

  private struct Member: Hashable, Sendable {
    let subject: Subject
    let port: UInt16?
  }

  private let members: [Member]

  /// Everything goes through the proxy.
  public static let none = ProxyExceptions(members: [])

  private init(members: [Member]) {
    self.members = members
  }

  /// Reads a list; throws for a member that is none of the above.
  public init(parsing text: String) throws(UpstreamProxyError) {
    var members: [Member] = []
    for word in text.split(whereSeparator: { $0 == "," || $0.isWhitespace }) {
      guard let member = Self.member(word) else {
        throw UpstreamProxyError("\"\(word)\" is no host, suffix or block of addresses that an upstream proxy is not used for")
      }
      members.append(member)
    }
    self.members = members
  }

  /// Whether an origin is reached directly. A name is never looked up for it.
  public func matches(host: String, port: UInt16) -> Bool {
    guard !members.isEmpty else { return false }
    let host = Self.withoutFinalDot(host.lowercased())
    let address = SocketAddress(literal: host, port: port).map { AddressBlock($0) }
    return members.contains { member in
      guard member.port == nil || member.port == port else { return false }
      return switch member.subject {
      case .everything: true
      case .host(let name): host == name || host.hasSuffix("." + name)
      case .below(let suffix): host.hasSuffix(suffix)
      case .block(let block): address.map { block.contains($0) } ?? false
      }
    }
  }

  private static func member(_ word: Substring) -> Member? {
    if word.contains("/") { return AddressBlock(text: word).map { Member(subject: .block($0), port: nil) } }
    if word.first == "*" || word.first == "." { return suffix(word) }
    guard let (host, port) = HostAndPort.parse(word) else { return nil }
    if let address = SocketAddress(literal: host, port: 0) {
      return Member(subject: .block(AddressBlock(address)), port: port)
    }
    guard !host.contains(":") else { return nil }
    return Member(subject: .host(withoutFinalDot(host.lowercased())), port: port)
  }

  /// `*`, `.suffix`, `*.suffix`, each perhaps with a port.
  private static func suffix(_ word: Substring) -> Member? {
    let rest = word.first == "*" ? word.dropFirst() : word
    if rest.isEmpty { return Member(subject: .everything, port: nil) }
    if rest.first == ":" {
      guard let port = HostAndPort.parse("any" + rest)?.port else { return nil }
      return Member(subject: .everything, port: port)
    }
    guard rest.first == ".", let (host, port) = HostAndPort.parse(rest.dropFirst()), !host.contains(":") else { return nil }
    return Member(subject: .below("." + withoutFinalDot(host.lowercased())), port: port)
  }

  /// `example.com.` is the same host.
  private static func withoutFinalDot(_ host: String) -> String {
    host.utf8.count > 1 && host.last == "." ? String(host.dropLast()) : host
  }
}
