internal import TapelineBase

/// Which origins are reached without the upstream proxy.
///
/// A list in the manner of `NO_PROXY`, separated by commas or blanks. Each member is one of
/// - `*`: everything;
/// - `example.com`: this host and every host below it; `.example.com` or `*.example.com`: only those below it;
/// - `10.0.0.1`, `::1`, `[::1]`: this address, however a URL spells it;
/// - `10.0.0.0/8`, `fe80::/10`: every address of the block;
///
/// and may end in `:port`, unless it is a block, to hold for that port alone (an IPv6 address then needs brackets).
public struct ProxyExceptions: Hashable, Sendable {
  private enum Subject: Hashable, Sendable {
    case everything
    /// One host, or all below a name.
    case host(Host)
    /// Without its leading dot, in lower case.
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

  /// Reads a list; throws for a member that matches none of the forms above.
  public init(parsing text: String) throws(UpstreamProxyError) {
    var members: [Member] = []
    for word in text.split(whereSeparator: { $0 == "," || $0.isWhitespace }) {
      guard let member = Self.member(word) else {
        throw UpstreamProxyError("\"\(word)\" is not a host, suffix or block of addresses to reach without the upstream proxy")
      }
      members.append(member)
    }
    self.members = members
  }

  /// Whether an origin is reached directly. Names are never looked up for this.
  public func matches(host: String, port: UInt16) -> Bool {
    guard !members.isEmpty else { return false }
    let host = Host(host)
    return members.contains { member in
      guard member.port == nil || member.port == port else { return false }
      return switch member.subject {
      case .everything: true
      case .host(let named): host == named || host.isBelow(named.description)
      case .below(let domain): host.isBelow(domain)
      case .block(let block): if case .address(let address) = host { block.contains(address) } else { false }
      }
    }
  }

  private static func member(_ word: Substring) -> Member? {
    if word.contains("/") { return AddressBlock(text: word).map { Member(subject: .block($0), port: nil) } }
    if word.first == "*" || word.first == "." { return suffix(word) }
    guard let place = HostAndPort(word) else { return nil }
    let host = Host(place.host)
    if case .address(let address) = host { return Member(subject: .block(AddressBlock(address)), port: place.port) }
    return Member(subject: .host(host), port: place.port)
  }

  /// `*`, `.suffix`, `*.suffix`, each perhaps with a port.
  private static func suffix(_ word: Substring) -> Member? {
    let rest = word.first == "*" ? word.dropFirst() : word
    if rest.isEmpty { return Member(subject: .everything, port: nil) }
    if rest.first == ":" {
      guard let port = Authority.port(rest.dropFirst()), port > 0 else { return nil }
      return Member(subject: .everything, port: port)
    }
    guard rest.first == ".", let place = HostAndPort(rest.dropFirst()), case .name(let name) = Host(place.host) else {
      return nil
    }
    return Member(subject: .below(name), port: place.port)
  }
}
