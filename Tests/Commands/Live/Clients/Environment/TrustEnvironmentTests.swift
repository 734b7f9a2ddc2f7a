import Testing

@testable import TapelineLive

@Suite("Trust environment")
struct TrustEnvironmentTests {
  @Test("Files that are named already are found once each, in the order of the variables")
  func files() {
    let environment = [
      "CURL_CA_BUNDLE": "/b.pem", "SSL_CERT_FILE": "/a.pem", "PIP_CERT": "/b.pem", "GIT_SSL_CAINFO": "", "OTHER": "/c.pem",
    ]
    #expect(TrustEnvironment.files(in: environment) == ["/a.pem", "/b.pem"])
    #expect(TrustEnvironment.files(in: [:]).isEmpty)
  }
}
