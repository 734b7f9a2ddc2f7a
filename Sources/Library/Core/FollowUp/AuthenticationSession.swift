internal import TapelineHTTP
internal import TapelineTransport

/// Remembers what challenges have taught a session, so that later requests are not challenged again. Loop-bound.
package final class AuthenticationSession {
  /// A protection space that one credential opens (RFC 9110 11.5).
  private struct Space {
    let realm: String?
    /// The common prefix, up to a slash, of the paths known to belong to the space. RFC 7617 2.2 lets Basic be sent unasked below
    /// it.
    var prefix: String
    var responder: ChallengeResponder

    func covers(_ path: String) -> Bool {
      // RFC 7616 3.3: a Digest space is the whole origin unless the challenge says otherwise. An answer outside it gives nothing
      // away.
      responder.isDigest || path.hasPrefix(prefix)
    }
  }

  private var spaces: [Origin: [Space]] = [:]

  package init() {}

  /// The field value that a request for `path` sends before it is challenged. A request that has its own `credential` uses only
  /// that one.
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

  /// Learns from the challenges to a request for `path`. Returns whether a better answer is possible now.
  func learn(
    _ challenges: [AuthenticationChallenge], from origin: Origin, path: String, credential: Credential, answered: Bool
  ) -> Bool {
    var known = spaces[origin] ?? []
    let realm = challenges.lazy.compactMap(\.realm).first
    let directory = Self.directory(of: path)
    let place = known.firstIndex { $0.realm == realm && $0.responder.credential == credential }
    // Taken out: a refused answer is no longer sent unasked.
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

  /// Forgets a refused credential, so that it is no longer sent unasked.
  func forget(_ credential: Credential, refusedBy challenges: [AuthenticationChallenge], of origin: Origin) {
    let realm = challenges.lazy.compactMap(\.realm).first
    spaces[origin]?.removeAll { $0.realm == realm && $0.responder.credential == credential }
  }

  /// Takes over what the response to an accepted answer says about the next answer.
  func learn(from fields: HeaderFields, of origin: Origin, credential: Credential) {
    guard var known = spaces[origin] else { return }
    for index in known.indices where known[index].responder.credential == credential {
      known[index].responder.learn(from: fields, of: .origin)
    }
    spaces[origin] = known
  }

  /// The path up to its last slash.
  private static func directory(of target: String) -> String {
    let path = target.prefix { $0 != "?" }
    return path.lastIndex(of: "/").map { String(path[...$0]) } ?? "/"
  }

  private static func commonDirectory(_ left: String, _ right: String) -> String {
    let shared = zip(left, right).prefix { $0 == $1 }.count
    return directory(of: String(left.prefix(shared)))
  }
}

/// The origin that a request goes to: scheme, host and port (RFC 6454 4). Another origin must not get what this one may know.
struct Origin: Hashable, Sendable {
  let scheme: URIScheme
  /// In lower case.
  let host: String
  let port: UInt16

  init(_ target: AbsoluteTarget) {
    scheme = target.scheme
    host = target.host.lowercased()
    port = target.port
  }

  /// `nil` for a request whose target names no origin.
  init?(_ head: RequestHead) {
    guard case .absolute(let target) = head.target else { return nil }
    self.init(target)
  }

  /// `nil` for a request that cannot be sent.
  init?(_ request: URLRequest) {
    do throws(TapelineError) {
      self.init(try request.head())
    } catch {
      return nil
    }
  }
}
