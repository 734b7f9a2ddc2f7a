/// A user's name and password.
public struct Credential: Hashable, Sendable {
  /// How long a credential is remembered once a server has accepted it.
  public enum Persistence: Hashable, Sendable {
    /// Only for the request that it was given to.
    case none
    /// For every request of the session to the same protection space.
    case forSession
  }

  /// The name. Basic cannot express a name with a colon (RFC 7617 2).
  public let user: String
  /// The password, which no description shows.
  public let password: String
  /// How long it is remembered.
  public let persistence: Persistence

  /// A name and a password.
  public init(user: String, password: String, persistence: Persistence = .forSession) {
    self.user = user
    self.password = password
    self.persistence = persistence
  }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible {
  /// Without the password: descriptions end up in logs.
  public var description: String { "\(user):***" }

  /// Without the password.
  public var debugDescription: String { description }
}
