internal import TapelineDigest
internal import TapelineBase

/// Answers one server's Digest challenge, request after request (RFC 7616).
///
/// Only `qop=auth` is spoken, and the form without `qop` that servers of RFC 2069 still ask for.
package struct DigestScheme: Sendable {
  private let credential: Credential
  private let realm: String
  private let opaque: String?
  private let algorithm: DigestAlgorithm
  /// `nil`: the answer has no quality of protection.
  private let qop: String?
  private let hashesUser: Bool
  /// The value of the `algorithm` parameter, if there was one: the answer has it too.
  private let namedAlgorithm: String?
  private let clientNonce: String
  private var nonce: String
  /// Requests with the current nonce.
  private var requestCount: UInt32 = 0
  /// For algorithms that keep their key, which is made from the first nonces.
  private let sessionKey: String?

  /// `nil` when the challenge asks for something that is not supported here.
  package init?(_ challenge: AuthenticationChallenge, credential: Credential, clientNonce: String = Self.makeNonce()) {
    guard challenge.scheme == "digest", let realm = challenge.realm, let nonce = challenge["nonce"],
      let algorithm = DigestAlgorithm(name: challenge["algorithm"])
    else { return nil }
    let offered = challenge["qop"]?.split(separator: ",").map { $0.trimmed.lowercased() }
    if let offered, !offered.contains("auth") { return nil }
    self.credential = credential
    self.realm = realm
    self.nonce = nonce
    self.algorithm = algorithm
    self.clientNonce = clientNonce
    qop = offered == nil ? nil : "auth"
    opaque = challenge["opaque"]
    namedAlgorithm = challenge["algorithm"]
    hashesUser = challenge["userhash"]?.lowercased() == "true"
    let key = algorithm.hash("\(credential.user):\(realm):\(credential.password)")
    sessionKey = algorithm.isSession ? algorithm.hash("\(key):\(nonce):\(clientNonce)") : nil
  }

  /// The server gave the nonce for the next request (RFC 7616 3.5).
  package mutating func adopt(nextNonce: String) {
    nonce = nextNonce
    requestCount = 0
  }

  /// The value of an `Authorization` field for a request of `method` with the target `uri`. Each call counts as a request.
  package mutating func fieldValue(method: String, uri: String) -> String {
    requestCount += 1
    let count = Hexadecimal.text(of: requestCount, digits: 8)
    let key = sessionKey ?? algorithm.hash("\(credential.user):\(realm):\(credential.password)")
    let subject = algorithm.hash("\(method):\(uri)")
    let response =
      if let qop {
        algorithm.hash("\(key):\(nonce):\(count):\(clientNonce):\(qop):\(subject)")
      } else {
        algorithm.hash("\(key):\(nonce):\(subject)")
      }

    var parameters = [user, quoted("realm", realm), quoted("nonce", nonce), quoted("uri", uri), quoted("response", response)]
    if let namedAlgorithm { parameters.append("algorithm=\(namedAlgorithm)") }
    if let qop { parameters += [quoted("cnonce", clientNonce), "nc=\(count)", "qop=\(qop)"] }
    if qop == nil, algorithm.isSession { parameters.append(quoted("cnonce", clientNonce)) }
    if let opaque { parameters.append(quoted("opaque", opaque)) }
    if hashesUser { parameters.append("userhash=true") }
    return "Digest " + parameters.joined(separator: ", ")
  }

  /// The user's name: hashed, quoted, or in the extended notation where it is not ASCII (RFC 7616 3.4, 3.4.4; RFC 8187).
  private var user: String {
    if hashesUser { return quoted("username", algorithm.hash("\(credential.user):\(realm)")) }
    let isASCII = credential.user.utf8.allSatisfy { $0 < 0x80 }
    return isASCII
      ? quoted("username", credential.user)
      : "username*=UTF-8''\(PercentEncoding.encode(credential.user, keeping: .attributeCharacter))"
  }

  private func quoted(_ name: String, _ value: String) -> String {
    let escaped = value.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }
    return "\(name)=\"\(String(escaped))\""
  }

  package static func makeNonce() -> String {
    Base64.encode(randomBytes(24))
  }
}

/// A hash function of the Digest scheme, and how its key is made (RFC 7616 3.2, 3.4.2).
package struct DigestAlgorithm: Hashable, Sendable {
  /// As in the `algorithm` parameter.
  package let name: String
  let digest: MessageDigest
  /// The key is made with the first nonces and then kept.
  let isSession: Bool

  /// A missing name means MD5.
  package init?(name: String?) {
    let name = name ?? "MD5"
    let upper = name.uppercased()
    isSession = upper.hasSuffix("-SESS")
    switch isSession ? String(upper.dropLast("-SESS".utf8.count)) : upper {
    case "MD5": digest = .md5
    case "SHA-256": digest = .sha256
    case "SHA-512-256": digest = .sha512Truncated256
    default: return nil
    }
    self.name = name
  }

  /// H(data) of RFC 7616 3.3.
  func hash(_ text: String) -> String {
    digest.hexadecimal(of: Array(text.utf8).span)
  }
}
