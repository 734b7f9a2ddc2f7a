internal import TapelineLoop
internal import TapelineBase

/// A pattern of destinations: a `HostPattern` or a block of addresses (`10.0.0.0/8`), at every port or at one (`localhost:3000`).
package struct DestinationPattern: Sendable, Hashable {
  private enum Subject: Sendable, Hashable {
    case host(HostPattern)
    case block(AddressBlock)
  }

  private let subject: Subject
  /// `nil`: every port.
  private let port: UInt16?

  /// `nil` when `text` is not a host, a pattern of hosts or a block.
  package init?(_ text: String) {
    if let block = AddressBlock(text: text) {
      subject = .block(block)
      port = nil
    } else if let host = HostPattern(text) {
      subject = .host(host)
      port = nil
    } else {
      let bytes = Array(text.utf8)
      let ranges = AuthorityRanges(bytes.span, in: bytes.indices)
      guard ranges.userinfo == nil, let digits = ranges.port, let host = HostPattern(text[utf8: ranges.host]),
        let port = Authority.port(text[utf8: digits]), port > 0
      else { return nil }
      subject = .host(host)
      self.port = port
    }
  }

  /// - Parameter host: as the client names it: a name in any case, or an address.
  func matches(host: String, port: UInt16) -> Bool {
    concerns(port) && matches(host: host)
  }

  /// Whether it matches at some port.
  func matches(host: String) -> Bool {
    switch subject {
    case .host(let pattern): pattern.matches(host)
    case .block(let block): if case .address(let address) = Host(host) { block.contains(address) } else { false }
    }
  }

  /// - Parameter address: an address that a host's name resolved to.
  func matches(_ address: SocketAddress) -> Bool {
    guard concerns(address.port) else { return false }
    return switch subject {
    case .host(let pattern): pattern.matches(address.host) || pattern.matches(address.reached.host)
    case .block(let block): block.contains(address.ip) || block.contains(address.reached.ip)
    }
  }

  /// Whether the pattern names this host and hardly another: its author knew what it is.
  func names(host: String, port: UInt16) -> Bool {
    switch subject {
    case .host(let pattern): pattern.isOneHost && concerns(port) && pattern.matches(host)
    case .block: false
    }
  }

  private func concerns(_ port: UInt16) -> Bool {
    self.port == nil || self.port == port
  }
}
