import Testing

@testable import TapelineHTTP

@Suite struct HTTPVersionTests {
  @Test func versionsAreOrderedAndPrinted() {
    #expect(HTTPVersion.http10 < .http11)
    #expect(HTTPVersion(major: 2, minor: 0) > .http11)
    #expect(HTTPVersion.http11.text == "HTTP/1.1")
  }
}
