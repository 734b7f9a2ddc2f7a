import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Requests are never mended: what two readers could read differently reaches no origin. `Tests/Fixtures/wire` has the
  /// requests.
  @Suite struct RequestSyntax {
    @Test("RFC 9112 2.2: bare LF, bare CR and NUL are refused wherever they stand")
    func bareLineEndsAndNULAreRefused() throws {
      try expectRefused(vectors: "request-fields", "bare line ends")
    }

    @Test("RFC 9112 2.2: one empty line before a request is skipped, more is refused")
    func oneEmptyLineIsSkipped() throws {
      let origin = try ScriptedOrigin.echo()
      _ = try recording { proxy in
        let get = "GET \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n"
        let client = try proxy.connect()
        for piece in ["\r\n\(get)", "\r\n", get, "\r", "\n", get] {
          try client.send(piece)
          if piece.hasSuffix(get) { #expect(try client.receiveResponse().status == 200) }
        }
      }
      try expectRefused(vectors: "request-targets", "before the request line")
    }

    @Test("RFC 9112 2.2: white space before the first field is refused")
    func whiteSpaceBeforeTheFirstField() throws {
      try expectRefused(vectors: "request-fields", "blanks before the first field")
    }

    @Test("RFC 9112 3: a request line is method, target and version with single spaces")
    func requestLinesAreStrict() throws {
      try expectRefused(vectors: "request-targets", "request lines")
    }

    @Test("RFC 9112 2.3: HTTP/1.x is understood, another major version is 505, an invalid one is 400")
    func versions() throws {
      try expectRefused(vectors: "request-methods", "versions")
    }

    @Test("RFC 9112 3.2: HTTP/1.1 has one Host, and any Host is valid")
    func hostIsOneAndValid() throws {
      try expectRefused(vectors: "request-targets", "hosts")
    }

    @Test("RFC 9112 5.1: no blank stands between a name and its colon")
    func noBlankBeforeTheColon() throws {
      try expectRefused(vectors: "request-fields", "blanks before the colon")
    }

    @Test("RFC 9112 5.2: line folding is refused")
    func lineFolding() throws {
      try expectRefused(vectors: "request-fields", "folding")
    }

    @Test("RFC 9110 5.1: a field name is a token")
    func fieldNames() throws {
      try expectRefused(vectors: "request-fields", "names")
    }

    @Test("RFC 9112 6.3: a name that is a framing field's with underscores is refused")
    func underscores() throws {
      try expectRefused(vectors: "request-fields", "underscores")
    }

    @Test("RFC 9110 5.5: a field value holds no NUL")
    func fieldValues() throws {
      try expectRefused(vectors: "request-fields", "values")
    }

    @Test("RFC 9110 9.1: a method is a token")
    func methods() throws {
      try expectRefused(vectors: "request-methods", "methods")
    }
  }
}
