internal import TapelineTLS
internal import TapelineText

/// The identities that a session shows to servers that ask for one.
public struct ClientIdentities: Sendable {
  /// No identity for any server: a server that insists on one ends the connection.
  public static let none = ClientIdentities()

  private let patterns: HostPatterns<ClientIdentity>

  /// - Parameters:
  ///   - fallback: for hosts without an identity of their own. Each server that asks learns it, so it is rarely what you want.
  ///   - hosts: by host or by domain, with the patterns of ``ServerTrustManager``.
  public init(default fallback: ClientIdentity? = nil, hosts: [String: ClientIdentity] = [:]) {
    var values = hosts
    if let fallback, values["*"] == nil { values["*"] = fallback }
    patterns = HostPatterns(values)
  }

  /// The identity that `host` is shown; `nil` if none.
  public subscript(host: String) -> ClientIdentity? { patterns[host] }
}
