import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Requests are never mended: what two readers could read differently reaches no origin.
  @Suite struct RequestSyntax {
    @Test("RFC 9112 2.2: bare LF, bare CR and NUL are refused wherever they stand")
    func bareLineEndsAndNULAreRefused() throws {
      try expectRefused { origin in
        let line = "GET http://\(origin)/ HTTP/1.1"
        return [
          RefusedRequest("\(line)\nHost: \(origin)\n\n", "bare-line-feed"),
          RefusedRequest("\(line)\nHost: \(origin)\r\n\r\n", "bare-line-feed"),
          RefusedRequest("\(line)\r\nHost: \(origin)\n\r\n", "bare-line-feed"),
          RefusedRequest("\(line)\r\nHost: \(origin)\r\n\n", "bare-line-feed"),
          RefusedRequest("\(line)\r\nX: a\nTransfer-Encoding: chunked\r\nHost: \(origin)\r\n\r\n", "bare-line-feed"),
          RefusedRequest("\(line)\r\nHost: \(origin)\r\nX: a\rb\r\n\r\n", "bare-carriage-return"),
          RefusedRequest("\(line)\r\nHost: \(origin)\r\nX: a\r\r\n\r\n", "bare-carriage-return"),
          RefusedRequest("\(line)\r\nHost: \(origin)\r\n\rX: a\r\n\r\n", "bare-carriage-return"),
          RefusedRequest("\(line)\r\r\nHost: \(origin)\r\n\r\n", "bare-carriage-return"),
          RefusedRequest("GET http://\(origin)/ HTTP/1.1\rHost: \(origin)\r\n\r\n", "bare-carriage-return"),
          RefusedRequest("GET http://\(origin)/\u{0} HTTP/1.1\r\nHost: \(origin)\r\n\r\n", "invalid-target"),
          RefusedRequest("GET http://\(origin)/a\rb HTTP/1.1\r\nHost: \(origin)\r\n\r\n", "invalid-request-line"),
          RefusedRequest("\(line)\r\nHost: \(origin)\u{0}\r\n\r\n", "invalid-field-value"),
        ]
      }
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
      try expectRefused { origin in
        ["\r\n\r\n", "\n", "\r\n\n", " ", "\r\n ", "\t", "\u{0}", "\u{5}\u{1}\u{0}", "\u{80}"].map {
          RefusedRequest("\($0)GET http://\(origin)/ HTTP/1.1\r\nHost: \(origin)\r\n\r\n", "invalid-request-line")
        } + [RefusedRequest("\r\r\nGET http://\(origin)/ HTTP/1.1\r\nHost: \(origin)\r\n\r\n", "bare-carriage-return")]
      }
    }

    @Test("RFC 9112 2.2: white space before the first field is refused")
    func whiteSpaceBeforeTheFirstField() throws {
      try expectRefused { origin in
        [" ", "\t", "  ", " \r\n"].map {
          RefusedRequest(
            "GET http://\(origin)/ HTTP/1.1\r\n\($0)Host: \(origin)\r\nHost: \(origin)\r\n\r\n", "blank-before-first-field")
        }
      }
    }

    @Test("RFC 9112 3: a request line is method, target and version with single spaces")
    func requestLinesAreStrict() throws {
      try expectRefused { origin in
        [
          ("GET  http://\(origin)/ HTTP/1.1", "invalid-request-line"), ("GET http://\(origin)/  HTTP/1.1", "invalid-version"),
          ("GET\thttp://\(origin)/ HTTP/1.1", "invalid-method"), ("GET http://\(origin)/\tHTTP/1.1", "invalid-target"),
          ("GET http://\(origin)/ HTTP/1.1 ", "invalid-request-line"),
          ("GET http://\(origin)/ HTTP/1.1\t", "invalid-request-line"),
          ("GET http://\(origin)/a b HTTP/1.1", "invalid-version"), ("GET http://\(origin)/", "invalid-request-line"),
          ("GET", "invalid-request-line"), ("GET ", "invalid-request-line"),
          ("GET http://\(origin)/\u{7F} HTTP/1.1", "invalid-target"),
          ("GET http://\(origin)/\u{B}x HTTP/1.1", "invalid-target"),
          ("GET http://\(origin)/ HTTP/1.1 HTTP/1.1", "invalid-request-line"),
        ].map { RefusedRequest("\($0)\r\nHost: \(origin)\r\n\r\n", $1) }
      }
    }

    @Test("RFC 9112 2.3: HTTP/1.x is understood, another major version is 505, what is none is 400")
    func versions() throws {
      try expectRefused { origin in
        ["HTTP/2.0", "HTTP/0.9", "HTTP/3.0", "HTTP/9.9"].map {
          RefusedRequest("GET http://\(origin)/ \($0)\r\nHost: \(origin)\r\n\r\n", "unsupported-version", 505)
        } + [
          RefusedRequest("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "unsupported-version", 505),
          RefusedRequest("GET http://\(origin)/\r\n\r\n", "invalid-request-line"),
          RefusedRequest("GET /\r\n\r\n", "invalid-request-line"),
        ]
          + [
            "http/1.1", "HTTP/1", "HTTP/11", "HTTP/1,1", "HTTP/+1.1", "HTTP/ 1.1", "HTTP/01.1", "HTTP/1.\u{B2}", "XHTTP/1.1",
            "HTTP",
          ].map {
            RefusedRequest("GET http://\(origin)/ \($0)\r\nHost: \(origin)\r\n\r\n", "invalid-version")
          } + [RefusedRequest("GET http://\(origin)/ HTTP/1.10\r\nHost: \(origin)\r\n\r\n", "invalid-request-line")]
      }
    }

    @Test("RFC 9112 3.2: HTTP/1.1 has one Host, and any Host is valid")
    func hostIsOneAndValid() throws {
      try expectRefused { origin in
        [
          RefusedRequest("GET http://\(origin)/ HTTP/1.1\r\n\r\n", "missing-host"),
          RefusedRequest("GET / HTTP/1.1\r\n\r\n", "missing-host"),
          RefusedRequest("CONNECT \(origin) HTTP/1.1\r\n\r\n", "missing-host"),
          RefusedRequest("GET http://\(origin)/ HTTP/1.1\r\nHost: \(origin)\r\nHost: \(origin)\r\n\r\n", "several-hosts"),
          RefusedRequest("GET http://\(origin)/ HTTP/1.0\r\nHost: \(origin)\r\nhOST: other\r\n\r\n", "several-hosts"),
        ]
          + [
            "a b", "a/b", "/", "u@a", "a:b", "a:70000", "a?b", "a#b", "[::1", "::1", "a,b:c", "\u{E9}", "a%zz", "a%2", "<a>",
            "a\tb", "http://a",
            "a:80:80", "a\\b", "\"a\"",
          ].map { RefusedRequest("GET http://\(origin)/ HTTP/1.1\r\nHost: \($0)\r\n\r\n", "invalid-host") }
      }
    }

    @Test("RFC 9112 5.1: no blank stands between a name and its colon")
    func noBlankBeforeTheColon() throws {
      try expectRefused { origin in
        ["X : a", "X\t: a", "Content-Length : 0", "Transfer-Encoding : chunked", "X \t : a"].map {
          RefusedRequest("GET http://\(origin)/ HTTP/1.1\r\nHost: \(origin)\r\n\($0)\r\n\r\n", "blank-before-colon")
        }
      }
    }

    @Test("RFC 9112 5.2: line folding is refused")
    func lineFolding() throws {
      try expectRefused { origin in
        ["X: a\r\n b", "X: a\r\n\tb", "X:\r\n a", "Transfer-Encoding:\r\n chunked", "X: a\r\n "].map {
          RefusedRequest("GET http://\(origin)/ HTTP/1.1\r\nHost: \(origin)\r\n\($0)\r\n\r\n", "line-folding")
        }
      }
    }

    @Test("RFC 9110 5.1: a field name is a token")
    func fieldNames() throws {
      try expectRefused { origin in
        ["X y: a", "X"].map {
          RefusedRequest(
            "GET http://\(origin)/ HTTP/1.1\r\nHost: \(origin)\r\n\($0)\r\n\r\n",
            $0 == "X" ? "invalid-field-name" : "blank-before-colon")
        }
          + [
            ": a", "X(y): a", "X[y]: a", "\"X\": a", "X/y: a", "X@: a", "X\u{0}: a", "X\u{7F}: a", "\u{E9}: a", "X;: a", "{}",
            "GET / HTTP/1.1",
          ].map {
            RefusedRequest(
              "GET http://\(origin)/ HTTP/1.1\r\nHost: \(origin)\r\n\($0)\r\n\r\n",
              $0.hasPrefix("GET") ? "blank-before-colon" : "invalid-field-name")
          }
      }
    }

    @Test("RFC 9110 5.5: a field value holds no control but HTAB")
    func fieldValues() throws {
      try expectRefused { origin in
        ((0...0x1F).filter { $0 != 0x09 && $0 != 0x0A && $0 != 0x0D } + [0x7F]).compactMap(Unicode.Scalar.init).map {
          RefusedRequest(
            "GET http://\(origin)/ HTTP/1.1\r\nHost: \(origin)\r\nX: a\(Character($0))b\r\n\r\n", "invalid-field-value")
        }
      }
    }

    @Test("RFC 9110 9.1: a method is a token")
    func methods() throws {
      try expectRefused { origin in
        ["G(T", "GET:", "G\u{0}T", "G\u{E9}T", "GET,", "G\"T", "GET\u{B}", "G/T"].map {
          RefusedRequest("\($0) http://\(origin)/ HTTP/1.1\r\nHost: \(origin)\r\n\r\n", "invalid-method")
        } + [RefusedRequest(" http://\(origin)/ HTTP/1.1\r\nHost: \(origin)\r\n\r\n", "invalid-request-line")]
      }
    }
  }
}
