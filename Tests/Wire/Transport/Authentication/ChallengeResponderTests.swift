import TapelineHTTP
import Testing

@testable import TapelineTransport

@Suite struct ChallengeResponderTests {
  private static let basic = AuthenticationChallenge(scheme: "basic", parameters: ["realm": "r"])

  private static func digest(_ algorithm: String, stale: String? = nil, nonce: String = "n") -> AuthenticationChallenge {
    var parameters = ["realm": "r", "nonce": nonce, "algorithm": algorithm, "qop": "auth"]
    parameters["stale"] = stale
    return AuthenticationChallenge(scheme: "digest", parameters: parameters)
  }

  private var responder = ChallengeResponder(Credential(user: "me", password: "secret"))

  @Test("Before any challenge there is nothing to say")
  mutating func silent() {
    let value = responder.fieldValue(method: "GET", uri: "/")
    #expect(value == nil)
  }

  @Test("RFC 7616 3.7: Digest is preferred to Basic, and its first known algorithm is taken")
  mutating func prefersDigest() {
    let challenges = [Self.basic, Self.digest("SHA-3"), Self.digest("SHA-256"), Self.digest("MD5")]
    let learned = responder.learn(challenges, answered: false)
    let value = responder.fieldValue(method: "GET", uri: "/") ?? ""
    #expect(learned)
    #expect(value.hasPrefix("Digest ") && value.contains("algorithm=SHA-256"))
  }

  @Test("RFC 7617 2: Basic, where nothing better is asked for")
  mutating func basicOnly() {
    let learned = responder.learn([AuthenticationChallenge(scheme: "negotiate"), Self.basic], answered: false)
    let value = responder.fieldValue(method: "GET", uri: "/")
    #expect(learned)
    #expect(value == "Basic bWU6c2VjcmV0")
  }

  @Test("RFC 9110 15.5.2: an answer that was refused is not given again")
  mutating func refused() {
    for challenge in [Self.basic, Self.digest("MD5")] {
      let first = responder.learn([challenge], answered: false)
      let second = responder.learn([challenge], answered: true)
      #expect(first && !second)
    }
  }

  @Test("Of two requests that were both challenged before they had an answer, both are answered")
  mutating func concurrent() {
    let first = responder.learn([Self.digest("MD5")], answered: false)
    _ = responder.fieldValue(method: "GET", uri: "/1")
    let second = responder.learn([Self.digest("MD5", nonce: "n2")], answered: false)
    #expect(first && second)
  }

  @Test("RFC 7616 3.3: a stale nonce is answered with the fresh one")
  mutating func stale() {
    _ = responder.learn([Self.digest("MD5")], answered: false)
    let learned = responder.learn([Self.digest("MD5", stale: "TRUE", nonce: "fresh")], answered: true)
    let value = responder.fieldValue(method: "GET", uri: "/") ?? ""
    #expect(learned)
    #expect(value.contains(#"nonce="fresh""#))
  }

  @Test("RFC 7616 3.7: after Basic was refused, Digest may still be right")
  mutating func digestAfterBasic() {
    _ = responder.learn([Self.basic], answered: false)
    let learned = responder.learn([Self.digest("MD5")], answered: true)
    #expect(learned)
  }

  @Test("RFC 7616 3.5: the next nonce is taken from the response")
  mutating func nextNonce() {
    _ = responder.learn([Self.digest("MD5")], answered: false)
    responder.learn(from: ["Authentication-Info": #"qop=auth, nextnonce="n3""#], of: .origin)
    let value = responder.fieldValue(method: "GET", uri: "/") ?? ""
    #expect(value.contains(#"nonce="n3""#) && value.contains("nc=00000001"))
  }

  @Test("Challenges of unknown schemes are not answered")
  mutating func unknown() {
    let learned = responder.learn([AuthenticationChallenge(scheme: "bearer", parameters: ["realm": "r"])], answered: false)
    #expect(!learned)
  }
}
