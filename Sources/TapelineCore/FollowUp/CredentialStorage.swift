public import TapelineTransport

/// Names and passwords by the host that may ask for them. A value: sessions that share one do not see each other's changes.
public struct CredentialStorage: Sendable {
  /// `nil`: any.
  private struct Space: Hashable, Sendable {
    let host: String
    let port: UInt16?
    let realm: String?
  }

  private var credentials: [Space: Credential] = [:]

  /// Holds nothing.
  public init() {}

  /// Keeps `credential` for what `host` protects, at one port or any, under one realm or any; `nil` forgets what was kept.
  public mutating func set(_ credential: Credential?, forHost host: String, port: UInt16? = nil, realm: String? = nil) {
    credentials[Space(host: host.lowercased(), port: port, realm: realm)] = credential
  }

  /// The credential for a protection space; if several match, the one with the most exact description.
  public func credential(forHost host: String, port: UInt16, realm: String? = nil) -> Credential? {
    guard !credentials.isEmpty else { return nil }
    let host = host.lowercased()
    let candidates = [
      Space(host: host, port: port, realm: realm), Space(host: host, port: nil, realm: realm),
      Space(host: host, port: port, realm: nil), Space(host: host, port: nil, realm: nil),
    ]
    return candidates.lazy.compactMap { credentials[$0] }.first
  }
}

extension CredentialStorage: CustomStringConvertible {
  /// The number of credentials, but none of them.
  public var description: String { "\(credentials.count) credentials" }
}
