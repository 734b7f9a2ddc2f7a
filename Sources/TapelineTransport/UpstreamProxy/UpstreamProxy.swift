internal import TapelineText

/// An HTTP proxy through which origins are reached: it forwards what is in clear, and opens tunnels for everything else.
public struct UpstreamProxy: Hashable, Sendable {
  /// A name or an address, lower-cased and without brackets.
  public let host: String
  /// Where it listens.
  public let port: UInt16
  /// What the proxy wants to know of us.
  public let credential: Credential?
  /// What is reached directly.
  public let exceptions: ProxyExceptions

  /// A proxy at this host and port.
  public init(host: String, port: UInt16, credential: Credential? = nil, exceptions: ProxyExceptions = .none) {
    self.host = host.lowercased()
    self.port = port
    self.credential = credential
    self.exceptions = exceptions
  }

  /// `host:port`, without credentials.
  package var authority: String {
    Authority.text(host: host, port: port)
  }
}

extension UpstreamProxy: CustomStringConvertible {
  /// Its URL, without credentials.
  public var description: String { "http://\(authority)" }
}
