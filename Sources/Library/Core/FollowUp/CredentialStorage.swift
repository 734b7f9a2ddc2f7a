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
  ///
  /// - Parameters:
  ///   - credential: what answers challenges; `nil` forgets it.
  ///   - host: the host.
  ///   - port: its port; `nil`: any.
  ///   - realm: what the server calls the space; `nil`: any.
  public mutating func set(_ credential: Credential?, forHost host: String, port: UInt16? = nil, realm: String? = nil) {
    credentials[Space(host: host.lowercased(), port: port, realm: realm)] = credential
  }

  /// The credential for a protection space; if several match, the one with the most exact description.
  ///
  /// - Parameters:
  ///   - host: the host.
  ///   - port: its port.
  ///   - realm: what the server calls the space.
  /// - Returns: the credential; `nil` if none is kept.
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

/// A server's 401: who asks for a name and a password, and how (RFC 9110 11.6.1).
public struct HTTPAuthenticationChallenge: Sendable {
  /// The host that asks, in lower case.
  public let host: String
  /// Its port.
  public let port: UInt16
  /// The first realm that the challenges name, if any: what the host protects.
  public let realm: String?
  /// The schemes that it understands, in lower case and in its order, such as `basic` and `digest`.
  public let schemes: [String]
  /// How often the task has answered already.
  public let previousFailureCount: Int
  /// The head of the response that asks.
  public let failureResponse: HTTPURLResponse

  init(_ challenges: [AuthenticationChallenge], from origin: Origin, after answers: Int, in response: HTTPURLResponse) {
    host = origin.host
    port = origin.port
    realm = challenges.lazy.compactMap(\.realm).first
    schemes = challenges.map(\.scheme)
    previousFailureCount = answers
    failureResponse = response
  }
}

/// The decision of a session delegate's override about a challenge.
public enum ChallengeDisposition: Sendable {
  /// Answer with this name and password.
  case useCredential(Credential)
  /// Do as without an override.
  case performDefaultHandling
  /// Cancel the task.
  case cancelAuthenticationChallenge
  /// Take the response as it is.
  case rejectProtectionSpace
}

/// The decision of a session delegate's override about a server.
public enum ServerTrustDisposition: Sendable, Hashable {
  /// The server is trusted, whatever other checks say.
  case trust
  /// Decide as without an override.
  case performDefaultHandling
  /// The server is refused.
  case refuse
}
