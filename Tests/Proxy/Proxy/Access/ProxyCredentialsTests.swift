import Testing

@testable import TapelineProxy

@Suite struct ProxyCredentialsTests {
  @Test(
    "RFC 7617 2: the pair in Base64, behind a scheme in any case",
    arguments: ["Basic dXNlcjpwYXNz", "basic dXNlcjpwYXNz", "BASIC   dXNlcjpwYXNz"])
  func right(value: String) {
    #expect(ProxyCredentials(pair: "user:pass").match(value))
  }

  @Test(
    "RFC 9110 11.4: everything else is refused",
    arguments: [
      "", "Basic", "Basic ", "dXNlcjpwYXNz", "Basic dXNlcjpwYXN", "Basic dXNlcjpwYXNzeA==", "Basic dXNlcjpwYXNy",
      "Bearer dXNlcjpwYXNz", "Basic dXNlcjpwYXNz dXNlcjpwYXNz", "Basic dXNlcjpwYXNz,", "Basic user:pass", "Basic ====",
      "Basic dXNlcjpwYXNzdXNlcjpwYXNz", "Digest username=\"user\"",
    ])
  func wrong(value: String) {
    #expect(!ProxyCredentials(pair: "user:pass").match(value))
  }

  @Test("RFC 7617 2.1: the password may have colons and UTF-8")
  func awkward() {
    #expect(ProxyCredentials(pair: "user:a:b").match("Basic dXNlcjphOmI="))
    #expect(ProxyCredentials(pair: "test:123£").match("Basic dGVzdDoxMjPCow=="))
    #expect(ProxyCredentials(pair: "user:").match("Basic dXNlcjo="))
  }
}
