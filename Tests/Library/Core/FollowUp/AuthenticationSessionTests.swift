import TapelineHTTP
import Testing

@testable import TapelineCore
@testable import TapelineTransport

@Suite struct AuthenticationSessionTests {
  private let session = AuthenticationSession()
  private let me = Credential(user: "me", password: "secret")
  private let basic = AuthenticationChallenge.challenges(in: ["WWW-Authenticate": "Basic realm=a"], from: .origin)
  private let digest = AuthenticationChallenge.challenges(
    in: ["WWW-Authenticate": "Digest realm=a, nonce=n, qop=\"auth\""], from: .origin)

  private func origin(_ host: String = "origin.example") throws -> Origin {
    try #require(try Origin(RequestHead(method: .get, target: "http://\(host)/")))
  }

  private func field(_ path: String, of host: String = "origin.example", credential: Credential? = nil) throws -> String? {
    session.authorization(for: try origin(host), path: path, method: "GET", credential: credential)?.fieldValue
  }

  @Test("RFC 7617 2.2: Basic is said unasked below the path where it was asked for")
  func basicSpace() throws {
    #expect(try field("/a/b") == nil)
    #expect(session.learn(basic, from: try origin(), path: "/a/b?x=/y/", credential: me, answered: false))
    #expect(try field("/a/c") == "Basic bWU6c2VjcmV0")
    #expect(try field("/a/d/e?f") != nil)
    #expect(try field("/") == nil)
    #expect(try field("/ab") == nil)
    #expect(try field("/a/b", of: "other.example") == nil)
    #expect(session.learn(basic, from: try origin(), path: "/x", credential: me, answered: false))
    #expect(try field("/") != nil)
  }

  @Test("RFC 7616 3.3: a Digest's space is the whole origin")
  func digestSpace() throws {
    #expect(session.learn(digest, from: try origin(), path: "/a/b", credential: me, answered: false))
    #expect(try field("/")?.contains("nc=00000001") == true)
    #expect(try field("/z")?.contains("nc=00000002") == true)
  }

  @Test("A request with its own credential uses no other credential")
  func ownCredential() throws {
    _ = session.learn(basic, from: try origin(), path: "/", credential: me, answered: false)
    #expect(try field("/", credential: Credential(user: "you", password: "x")) == nil)
    #expect(try field("/", credential: me) != nil)
  }

  @Test("RFC 9110 15.5.2: what was refused is not said again")
  func refused() throws {
    _ = session.learn(basic, from: try origin(), path: "/", credential: me, answered: false)
    #expect(!session.learn(basic, from: try origin(), path: "/", credential: me, answered: true))
    #expect(try field("/") == nil)
  }

  @Test("RFC 7616 3.5: the next nonce is learnt")
  func nextNonce() throws {
    _ = session.learn(digest, from: try origin(), path: "/", credential: me, answered: false)
    session.learn(from: ["Authentication-Info": "nextnonce=\"m\""], of: try origin(), credential: me)
    #expect(try field("/")?.contains("nonce=\"m\"") == true)
  }
}
