internal import TapelineText

/// An HTTP proxy through which origins are reached: it forwards what is in clear, and opens tunnels for everything else.
public struct UpstreamProxy: Hashable, Sendable {
  /// A name or an address, lower-cased and without brackets.
  public let host: String
  /// The port on which it listens.
  public let port: UInt16
  /// The credential for a proxy that asks for one.
  public let credential: Credential?
  /// The origins that are reached directly.
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
