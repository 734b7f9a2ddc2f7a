import TapelineHTTP
import Testing

@testable import TapelineTransport

@Suite struct ChallengeParserTests {
  private func challenges(_ values: String...) -> [AuthenticationChallenge] {
    AuthenticationChallenge.challenges(in: HeaderFields(values.map { ("WWW-Authenticate", $0) }), from: .origin)
  }

  @Test("RFC 9110 11.6.1: several challenges in one field, with commas between challenges and parameters")
  func several() {
    // The RFC's own example.
    let found = challenges(#"Basic realm="simple", Newauth realm="apps", type=1, title="Login to \"apps\"""#)
    #expect(
      found == [
        AuthenticationChallenge(scheme: "basic", parameters: ["realm": "simple"]),
        AuthenticationChallenge(scheme: "newauth", parameters: ["realm": "apps", "type": "1", "title": #"Login to "apps""#]),
      ])
  }

  @Test("RFC 9110 11.2: schemes and names have no case, blanks may stand around the equals sign")
  func spelling() {
    #expect(
      challenges("DIGEST  Realm = \"a b\" ,\tNONCE=xyz")
        == [AuthenticationChallenge(scheme: "digest", parameters: ["realm": "a b", "nonce": "xyz"])])
  }

  @Test("RFC 9110 11.2: a scheme alone, one with a token68, and one with parameters")
  func forms() {
    #expect(
      challenges("Negotiate, NTLM TlRMTVNTUAAC+/==, Basic realm=x")
        == [
          AuthenticationChallenge(scheme: "negotiate"), AuthenticationChallenge(scheme: "ntlm", token68: "TlRMTVNTUAAC+/=="),
          AuthenticationChallenge(scheme: "basic", parameters: ["realm": "x"]),
        ])
  }

  @Test("RFC 9110 5.3: field lines are one list")
  func lines() {
    #expect(challenges("Negotiate", "Basic realm=x").map(\.scheme) == ["negotiate", "basic"])
  }

  @Test("RFC 9110 5.6.1.2: empty members count for nothing")
  func emptyMembers() {
    #expect(challenges(", ,Basic realm=x,, charset=\"UTF-8\",").map { $0["charset"] } == ["UTF-8"])
  }

  @Test("RFC 9110 11.2: the first of two parameters with one name counts")
  func duplicates() {
    #expect(challenges("Basic realm=a, realm=b").first?.realm == "a")
  }

  @Test(
    "RFC 9110 11.6.1: what cannot be read is no challenge, and what stands before it is one",
    arguments: [
      "", " , ", "=", "\"quoted\"", "Basic realm=x, \"lost\"", "Basic realm=x, @",
    ])
  func malformed(value: String) {
    #expect(challenges(value).map(\.scheme) == (value.hasPrefix("Basic") ? ["basic"] : []))
  }

  @Test("RFC 9110 5.6.4: a quoted string that does not end is no value", arguments: ["Digest realm=\"x", "Digest realm=\"x\\"])
  func unterminated(value: String) {
    #expect(challenges(value).first?.realm == nil)
  }

  @Test("RFC 9110 11.7.1: a proxy's challenges are in its own field")
  func proxy() {
    let fields = HeaderFields([("WWW-Authenticate", "Basic realm=a"), ("Proxy-Authenticate", "Digest realm=b")])
    #expect(AuthenticationChallenge.challenges(in: fields, from: .proxy).map(\.realm) == ["b"])
  }

  @Test("RFC 7615 3: the parameters of a field without a scheme")
  func parametersAlone() {
    var parser = ChallengeParser(#"nextnonce="abc", qop=auth, rspauth="6629", nc=00000001"#)
    #expect(parser.parameters()["nextnonce"] == "abc")
  }
}
