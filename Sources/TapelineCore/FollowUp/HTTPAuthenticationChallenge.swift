internal import TapelineTransport

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
