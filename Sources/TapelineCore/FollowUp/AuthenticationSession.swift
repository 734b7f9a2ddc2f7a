internal import TapelineHTTP
internal import TapelineTransport

/// What challenges have taught a session, so that later requests are not challenged again. Loop-bound.
package final class AuthenticationSession {
  /// A protection space that one credential opens (RFC 9110 11.5).
  private struct Space {
    let realm: String?
    /// Of the paths that are known to belong to it, up to a slash: where Basic is sent unasked (RFC 7617 2.2).
    var prefix: String
    var responder: ChallengeResponder

    func covers(_ path: String) -> Bool {
      // A Digest's space is the whole origin unless it says otherwise, and an answer outside of it gives nothing away (RFC 7616 3.3).
      responder.isDigest || path.hasPrefix(prefix)
    }
  }

  private var spaces: [Origin: [Space]] = [:]

  package init() {}

  /// What a request for `path` says before it is asked: of `credential`, if it has one of its own.
  func authorization(
    for origin: Origin, path: String, method: String, credential: Credential?
  ) -> (credential: Credential, fieldValue: String)? {
    guard var known = spaces[origin] else { return nil }
    var best: Int?
    for index in known.indices where known[index].covers(path) {
      guard credential == nil || credential == known[index].responder.credential else { continue }
      if let best, known[best].prefix.utf8.count >= known[index].prefix.utf8.count { continue }
      best = index
    }
    guard let best, let value = known[best].responder.fieldValue(method: method, uri: path) else { return nil }
    spaces[origin] = known
    return (known[best].responder.credential, value)
  }

  /// Learns from the challenges to a request for `path`. Answers whether it can be answered better now.
  func learn(
    _ challenges: [AuthenticationChallenge], from origin: Origin, path: String, credential: Credential, answered: Bool
  ) -> Bool {
    var known = spaces[origin] ?? []
    let realm = challenges.lazy.compactMap(\.realm).first
    let directory = Self.directory(of: path)
    let place = known.firstIndex { $0.realm == realm && $0.responder.credential == credential }
    // Taken out: what was refused is not said unasked any more.
    var space =
      place.map { known.remove(at: $0) }
      ?? Space(realm: realm, prefix: directory, responder: ChallengeResponder(credential))
    let isBetter = space.responder.learn(challenges, answered: answered)
    if isBetter {
      space.prefix = Self.commonDirectory(space.prefix, directory)
      known.append(space)
    }
    spaces[origin] = known
    return isBetter
  }

  /// What was refused is not said unasked any more.
  func forget(_ credential: Credential, refusedBy challenges: [AuthenticationChallenge], of origin: Origin) {
    let realm = challenges.lazy.compactMap(\.realm).first
    spaces[origin]?.removeAll { $0.realm == realm && $0.responder.credential == credential }
  }

  /// Takes over what the response to an accepted answer says of the next one.
  func learn(from fields: HeaderFields, of origin: Origin, credential: Credential) {
    guard var known = spaces[origin] else { return }
    for index in known.indices where known[index].responder.credential == credential {
      known[index].responder.learn(from: fields, of: .origin)
    }
    spaces[origin] = known
  }

  /// Up to the last slash of the path.
  private static func directory(of target: String) -> String {
    let path = target.prefix { $0 != "?" }
    return path.lastIndex(of: "/").map { String(path[...$0]) } ?? "/"
  }

  private static func commonDirectory(_ left: String, _ right: String) -> String {
    let shared = zip(left, right).prefix { $0 == $1 }.count
    return directory(of: String(left.prefix(shared)))
  }
}
