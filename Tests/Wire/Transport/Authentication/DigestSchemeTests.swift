import Testing

@testable import TapelineTransport

@Suite struct DigestSchemeTests {
  private static let mufasa = Credential(user: "Mufasa", password: "Circle of Life")

  private static func challenge(_ more: [String: String] = [:]) -> AuthenticationChallenge {
    let parameters = [
      "realm": "http-auth@example.org", "qop": "auth, auth-int", "nonce": "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v",
      "opaque": "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS",
    ]
    return AuthenticationChallenge(scheme: "Digest", parameters: parameters.merging(more) { $1 }.filter { $0.value != "-" })
  }

  @Test(
    "RFC 7616 3.9.1: the examples with MD5 and SHA-256",
    arguments: [
      ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
      ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ])
  func examples(algorithm: String, response: String) throws {
    var scheme = try #require(
      DigestScheme(
        Self.challenge(["algorithm": algorithm]), credential: Self.mufasa,
        clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"))
    #expect(
      scheme.fieldValue(method: "GET", uri: "/dir/index.html")
        == #"Digest username="Mufasa", realm="http-auth@example.org", "#
        + #"nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", uri="/dir/index.html", response="\#(response)", "#
        + #"algorithm=\#(algorithm), cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", nc=00000001, qop=auth, "#
        + #"opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#)
  }

  /// The RFC's own numbers are of another hash function (its errata say so); these were computed with Python's `hashlib`.
  @Test("RFC 7616 3.9.2: SHA-512-256, charset and userhash")
  func userhash() throws {
    let challenge = AuthenticationChallenge(
      scheme: "digest",
      parameters: [
        "realm": "api@example.org", "qop": "auth", "algorithm": "SHA-512-256", "charset": "UTF-8", "userhash": "true",
        "nonce": "5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", "opaque": "HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS",
      ])
    var scheme = try #require(
      DigestScheme(
        challenge, credential: Credential(user: "J\u{E4}s\u{F8}n Doe", password: "Secret, or not?"),
        clientNonce: "NTg6RKcb9boFIAS3KrFK9BGeh+niz/sm"))
    let value = scheme.fieldValue(method: "GET", uri: "/doe.json")
    #expect(value.contains(#"username="793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b""#))
    #expect(value.contains(#"response="7a4e1192babbba02e91182d2895bfdbf7adafc6e48d4e517ca301974843d840c""#))
    #expect(value.hasSuffix("userhash=true"))
  }

  @Test("RFC 2617 3.5: the example of the older RFC, whose algorithm goes without saying")
  func olderExample() throws {
    let challenge = AuthenticationChallenge(
      scheme: "digest",
      parameters: [
        "realm": "testrealm@host.com", "qop": "auth,auth-int", "nonce": "dcd98b7102dd2f0e8b11d0f600bfb0c093",
        "opaque": "5ccc069c403ebaf9f0171e9517f40e41",
      ])
    var scheme = try #require(
      DigestScheme(challenge, credential: Credential(user: "Mufasa", password: "Circle Of Life"), clientNonce: "0a4f113b"))
    let value = scheme.fieldValue(method: "GET", uri: "/dir/index.html")
    #expect(value.contains(#"response="6629fae49393a05397450978507c4ef1""#))
    #expect(!value.contains("algorithm"))
  }

  @Test("RFC 2069 2.4: without a quality of protection there are no counts")
  func withoutQop() throws {
    let challenge = AuthenticationChallenge(
      scheme: "digest", parameters: ["realm": "testrealm@host.com", "nonce": "dcd98b7102dd2f0e8b11d0f600bfb0c093"])
    var scheme = try #require(DigestScheme(challenge, credential: Credential(user: "Mufasa", password: "CircleOfLife")))
    let value = scheme.fieldValue(method: "GET", uri: "/dir/index.html")
    #expect(value.contains(#"response="1949323746fe6a43ef61f9606e7febea""#))
    #expect(!value.contains("nc=") && !value.contains("cnonce"))
  }

  @Test("RFC 7616 3.4: each use of a nonce counts, a new nonce begins again")
  func counts() throws {
    var scheme = try #require(DigestScheme(Self.challenge(), credential: Self.mufasa))
    let first = scheme.fieldValue(method: "GET", uri: "/")
    let second = scheme.fieldValue(method: "GET", uri: "/")
    #expect(first.contains("nc=00000001") && second.contains("nc=00000002"))
    #expect(first != second)
    scheme.adopt(nextNonce: "another")
    let third = scheme.fieldValue(method: "GET", uri: "/")
    #expect(third.contains("nc=00000001") && third.contains(#"nonce="another""#))
  }

  @Test("RFC 7616 3.4.2: a session's key is made of the first nonces")
  func session() throws {
    var scheme = try #require(
      DigestScheme(Self.challenge(["algorithm": "MD5-sess"]), credential: Self.mufasa, clientNonce: "c"))
    let algorithm = try #require(DigestAlgorithm(name: "MD5"))
    let key = algorithm.hash(
      "\(algorithm.hash("Mufasa:http-auth@example.org:Circle of Life")):7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v:c")
    scheme.adopt(nextNonce: "n2")
    let response = algorithm.hash("\(key):n2:00000001:c:auth:\(algorithm.hash("GET:/"))")
    #expect(scheme.fieldValue(method: "GET", uri: "/").contains(#"response="\#(response)", algorithm=MD5-sess"#))
  }

  @Test("RFC 7616 3.4.4: a name that is not ASCII has the extended notation")
  func extendedNotation() throws {
    var scheme = try #require(DigestScheme(Self.challenge(), credential: Credential(user: "J\u{E4}s\u{F8}n Doe", password: "x")))
    #expect(scheme.fieldValue(method: "GET", uri: "/").hasPrefix("Digest username*=UTF-8''J%C3%A4s%C3%B8n%20Doe, realm="))
  }

  @Test("RFC 9110 5.6.4: quotes in a name are escaped")
  func escapes() throws {
    var scheme = try #require(DigestScheme(Self.challenge(), credential: Credential(user: #"a"b\c"#, password: "x")))
    #expect(scheme.fieldValue(method: "GET", uri: "/").hasPrefix(#"Digest username="a\"b\\c", "#))
  }

  @Test(
    "RFC 7616 3.3: what is not spoken here is not answered",
    arguments: [
      ["algorithm": "SHA-3"], ["qop": "auth-int"], ["nonce": "-"], ["realm": "-"],
    ])
  func unknown(parameters: [String: String]) {
    #expect(DigestScheme(Self.challenge(parameters), credential: Self.mufasa) == nil)
  }
}
