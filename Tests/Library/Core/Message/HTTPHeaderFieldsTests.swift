import Testing

@testable import TapelineCore

@Suite struct HTTPHeaderFieldsTests {
  @Test(
    "The static conveniences name their fields",
    arguments: [
      (HTTPHeader.accept("a/b"), "Accept: a/b"), (.acceptCharset("utf-8"), "Accept-Charset: utf-8"),
      (.acceptEncoding("br"), "Accept-Encoding: br"), (.acceptLanguage("de"), "Accept-Language: de"),
      (.authorization("Any x"), "Authorization: Any x"), (.contentDisposition("inline"), "Content-Disposition: inline"),
      (.contentEncoding("gzip"), "Content-Encoding: gzip"), (.contentType("a/b"), "Content-Type: a/b"),
      (.range("bytes=0-"), "Range: bytes=0-"), (.userAgent("me"), "User-Agent: me"),
      (.websocketProtocol("chat"), "Sec-WebSocket-Protocol: chat"),
    ])
  func names(header: HTTPHeader, text: String) {
    #expect(header.description == text)
  }

  /// The example of RFC 7617 2 and the one in UTF-8 of 2.1.
  @Test func credentials() {
    #expect(
      HTTPHeader.authorization(username: "Aladdin", password: "open sesame").value == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    #expect(HTTPHeader.authorization(username: "test", password: "123\u{A3}").value == "Basic dGVzdDoxMjPCow==")
    #expect(HTTPHeader.authorization(bearerToken: "t").value == "Bearer t")
  }
}
