package import TapelineHTTP
internal import TapelineBase

/// Answers the challenges of one protection space with one credential, and uses what they taught for the requests that follow.
package struct ChallengeResponder: Sendable {
  private enum Answer: Sendable {
    case basic(fieldValue: String)
    case digest(DigestScheme)
  }

  package let credential: Credential
  private var answer: Answer?

  package init(_ credential: Credential) {
    self.credential = credential
  }

  /// Whether the last challenge that could be answered was a Digest's.
  package var isDigest: Bool {
    switch answer {
    case .digest: true
    case .basic, nil: false
    }
  }

  /// Begins with Basic, before any challenge.
  package static func preemptiveBasic(_ credential: Credential) -> ChallengeResponder {
    var responder = ChallengeResponder(credential)
    responder.answer = BasicScheme.fieldValue(for: credential).map { .basic(fieldValue: $0) }
    return responder
  }

  /// Learns from the challenges to a request. Answers whether the request can be tried again with a better answer than it had.
  ///
  /// `answered`: the request carried our answer, so that the answer was refused, unless only its nonce has grown old. Digest is
  /// preferred to Basic, which shows the password to everybody on the way. The first Digest algorithm that is known here is taken
  /// (RFC 7616 3.7).
  package mutating func learn(_ challenges: [AuthenticationChallenge], answered: Bool) -> Bool {
    for challenge in challenges {
      guard let scheme = DigestScheme(challenge, credential: credential) else { continue }
      if answered, case .digest = answer, challenge["stale"]?.lowercased() != "true" { return false }
      answer = .digest(scheme)
      return true
    }
    guard challenges.contains(where: { $0.scheme == "basic" }), let value = BasicScheme.fieldValue(for: credential) else {
      return false
    }
    if answered, case .basic = answer { return false }
    answer = .basic(fieldValue: value)
    return true
  }

  /// Takes over the next nonce that an answer to us may have named (RFC 7616 3.5).
  package mutating func learn(from fields: HeaderFields, of asker: AuthenticationChallenge.Asker) {
    guard case .digest(var scheme) = answer else { return }
    let name =
      switch asker {
      case .origin: "Authentication-Info"
      case .proxy: "Proxy-Authentication-Info"
      }
    for value in fields.values(named: name) {
      var parser = ChallengeParser(value)
      guard let nonce = parser.parameters()["nextnonce"] else { continue }
      scheme.adopt(nextNonce: nonce)
      answer = .digest(scheme)
    }
  }

  /// The value of the request's `Authorization` or `Proxy-Authorization` field; `nil` before anything is known.
  package mutating func fieldValue(method: String, uri: String) -> String? {
    switch answer {
    case nil:
      return nil
    case .basic(let value):
      return value
    case .digest(var scheme):
      let value = scheme.fieldValue(method: method, uri: uri)
      answer = .digest(scheme)
      return value
    }
  }
}

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

/// The Basic scheme (RFC 7617).
package enum BasicScheme {
  /// The value of an `Authorization` field. The text is UTF-8, the only value of the scheme's charset parameter (RFC 7617 2.1).
  ///
  /// `nil` when the scheme cannot express the credential: a colon in the user's name, or a control character (RFC 7617 2).
  package static func fieldValue(for credential: Credential) -> String? {
    guard !credential.user.utf8.contains(UInt8(ascii: ":")),
      !credential.user.unicodeScalars.contains(where: isControl), !credential.password.unicodeScalars.contains(where: isControl)
    else { return nil }
    return "Basic \(Base64.encode(Array("\(credential.user):\(credential.password)".utf8)))"
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control
  }
}
