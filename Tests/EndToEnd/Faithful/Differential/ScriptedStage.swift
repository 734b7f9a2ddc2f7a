import TapelineTestSupport

extension Stage {
  /// An origin that answers each exchange with the bytes of the table, whatever it was asked.
  static func scripted() throws -> Stage {
    let table = ScriptedExchanges.all
    let origin = try ScriptedOrigin([
      .run { connection in
        while true {
          let request: RawMessage
          // A peer that ends between two requests has what it wanted.
          do { request = try connection.receiveRequest() } catch { return }
          guard let number = request.value(of: "X-Exchange").flatMap({ Int($0) }), table.indices.contains(number),
            let answer = table[number].answer
          else { throw TestSupportError.malformed("a request that is not in the table: \(request)") }
          try connection.send(answer)
          if table[number].ends { return }
        }
      }
    ])
    return Stage(port: origin.port, table: table, server: origin)
  }
}

enum ScriptedExchanges {
  static let date = "Date: Thu, 01 Jan 2026 00:00:00 GMT"

  static var all: [Exchange] {
    methods + framings + fields + interim + requests + statuses + hops + old
  }

  private static func answer(_ status: String = "200 OK", _ fields: [String] = [], body: String = "hello") -> [UInt8] {
    .latin1(
      (["HTTP/1.1 \(status)", date] + fields + ["Content-Length: \(body.utf8.count)", "", body]).joined(separator: "\r\n"))
  }

  private static func raw(_ lines: String...) -> [UInt8] {
    .latin1(lines.joined(separator: "\r\n"))
  }

  private static var methods: [Exchange] {
    ["GET", "POST", "PUT", "PATCH", "DELETE", "PROPFIND", "REPORT", "QUERY", "get", "M-SEARCH", "PURGE"].flatMap { method in
      [
        Exchange(name: "\(method)", method: method, target: "/a", answer: answer()),
        Exchange(
          name: "\(method) with content", method: method, target: "/a", body: .length(Array("x=1".utf8)), answer: answer()),
        Exchange(
          name: "\(method) with chunks", method: method, target: "/a", body: .chunked([Array("x".utf8), Array("=1".utf8)]),
          answer: answer()),
      ]
    }
  }

  private static var framings: [Exchange] {
    let chunks = "5\r\nhello\r\n6;ext=1\r\n world\r\n0\r\n\r\n"
    return [
      Exchange(name: "a length of 0", target: "/f", answer: answer(body: "")),
      Exchange(name: "chunks", target: "/f", answer: raw("HTTP/1.1 200 OK", date, "Transfer-Encoding: chunked", "", chunks)),
      Exchange(
        name: "no chunk", target: "/f", answer: raw("HTTP/1.1 200 OK", date, "Transfer-Encoding: chunked", "", "0\r\n\r\n")),
      Exchange(
        name: "chunks with trailers", target: "/f", fields: ["TE: trailers", "Connection: TE"],
        answer: raw(
          "HTTP/1.1 200 OK", date, "Trailer: X-Sum", "Transfer-Encoding: chunked", "",
          "2\r\nhi\r\n0\r\nX-Sum: 1\r\nx-Sum: 2\r\n\r\n")),
      Exchange(
        name: "trailers that may not be", target: "/f",
        answer: raw(
          "HTTP/1.1 200 OK", date, "Transfer-Encoding: chunked", "",
          "2\r\nhi\r\n0\r\nContent-Length: 9\r\nX-Good: 1\r\nHost: x\r\n\r\n"),
        changes: ["response:content-length", "response:host"]),
      Exchange(
        name: "to the end", target: "/f", answer: raw("HTTP/1.1 200 OK", date, "Connection: close", "", "until the end"),
        ends: true),
      Exchange(
        name: "to the end, without a word", target: "/f", answer: raw("HTTP/1.1 200 OK", date, "", "until the end"),
        changes: ["response:connection"], ends: true),
      Exchange(
        name: "a length and the end", target: "/f", answer: answer("200 OK", ["Connection: close"]), ends: true),
      Exchange(name: "204", target: "/f", answer: raw("HTTP/1.1 204 No Content", date, "", "")),
      Exchange(
        name: "304 with a length", target: "/f", answer: raw("HTTP/1.1 304 Not Modified", date, "Content-Length: 500", "", "")),
      Exchange(name: "304 without one", target: "/f", answer: raw("HTTP/1.1 304 Not Modified", date, "ETag: \"x\"", "", "")),
      Exchange(
        name: "HEAD with a length", method: "HEAD", target: "/f",
        answer: raw("HTTP/1.1 200 OK", date, "Content-Length: 500", "", "")),
      Exchange(
        name: "HEAD with chunks", method: "HEAD", target: "/f",
        answer: raw("HTTP/1.1 200 OK", date, "Transfer-Encoding: chunked", "", "")),
      Exchange(name: "HEAD with neither", method: "HEAD", target: "/f", answer: raw("HTTP/1.1 200 OK", date, "", "")),
      Exchange(
        name: "206 in parts", target: "/f",
        answer: answer(
          "206 Partial Content", ["Content-Type: multipart/byteranges; boundary=x"], body: "--x\r\n\r\na\r\n--x--\r\n")),
      Exchange(
        name: "no Date", target: "/f", answer: raw("HTTP/1.1 200 OK", "Content-Length: 2", "", "hi"), changes: ["response:date"]),
      Exchange(name: "a large answer", target: "/f", answer: answer(body: String(repeating: "0123456789abcdef", count: 1 << 17))),
    ]
  }

  private static var fields: [Exchange] {
    let odd: [[String]] = [
      ["x-lower: 1", "X-UPPER: 2", "X-mIxEd: 3"], ["X-Twice: 1", "X-Other: x", "X-Twice: 2"], ["X-Empty:"],
      ["X-Blanks:   a  b  "],
      ["X_Under: 1", "X.Dot: 2", "!#$%&'*+-.^_`|~: 3"], ["X-Text: caf\u{E9}"], ["X-Tab:\ta\tb"],
      ["X-Long: \(String(repeating: "v", count: 8000))"],
      ["Set-Cookie: a=1; Path=/", "Set-Cookie: b=2; Secure; HttpOnly"], ["Link: </a>; rel=preload", "Link: </b>; rel=preload"],
      ["Content-Encoding: x-unknown"], ["Content-Type: text/html; charset=utf-8", "X-Content-Type-Options: nosniff"],
      ["Via: 1.1 somebody"], ["Via: 1.0 a, 1.1 b", "Via: 1.1 c"], ["Age: 7", "Warning: 110 - stale"],
      ["Server: x/1", "X-Powered-By: y"], ["Alt-Svc: h3=\":443\""], ["Strict-Transport-Security: max-age=1"],
      ["WWW-Authenticate: Basic realm=\"a\"", "WWW-Authenticate: Digest realm=\"b\", nonce=\"c\""], ["Vary: *"],
      ["Content-Length-X: 3"],
    ]
    return odd.map { lines in
      Exchange(name: "answered with \(lines[0].prefix(30))", target: "/o", answer: answer("200 OK", lines))
    }
      + odd.map { lines in
        Exchange(name: "asked with \(lines[0].prefix(30))", target: "/o", fields: lines, answer: answer())
      }
  }

  private static var interim: [Exchange] {
    [
      Exchange(
        name: "103 before 200", target: "/i",
        answer: raw("HTTP/1.1 103 Early Hints", "Link: </a>; rel=preload", "", "") + answer()),
      Exchange(
        name: "102, 103 and 199", target: "/i",
        answer: raw("HTTP/1.1 102 Processing", "", "HTTP/1.1 103 Early Hints", "X: 1", "", "HTTP/1.1 199 Odd", "", "") + answer()),
      Exchange(
        name: "Expect", method: "POST", target: "/i", fields: ["Expect: 100-continue"], body: .length(Array("content".utf8)),
        answer: answer()),
      Exchange(
        name: "Expect with chunks", method: "POST", target: "/i", fields: ["expect: 100-Continue"],
        body: .chunked([Array("content".utf8)]), answer: answer()),
    ]
  }

  private static var requests: [Exchange] {
    let form = "Content-Type: application/x-www-form-urlencoded"
    return [
      Exchange(
        name: "a form", method: "POST", target: "/r", fields: [form], body: .length(Array("a=1&b=%C5%BC".utf8)), answer: answer()),
      Exchange(
        name: "parts", method: "POST", target: "/r", fields: ["Content-Type: multipart/form-data; boundary=x"],
        body: .length(Array("--x\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--x--\r\n".utf8)), answer: answer()),
      Exchange(name: "no content", method: "POST", target: "/r", body: .length([]), answer: answer()),
      Exchange(name: "no chunk", method: "POST", target: "/r", body: .chunked([]), answer: answer()),
      Exchange(
        name: "trailers", method: "POST", target: "/r", fields: ["Trailer: X-Sum"],
        body: .chunked([Array("x".utf8)], trailers: ["X-Sum: 1", "x-sum: 2"]), answer: answer()),
      Exchange(
        name: "trailers that may not be", method: "POST", target: "/r",
        body: .chunked([Array("x".utf8)], trailers: ["Content-Length: 1", "X-Good: 1", "Transfer-Encoding: x"]), answer: answer(),
        changes: ["request:content-length", "request:transfer-encoding"]),
      Exchange(name: "much", method: "POST", target: "/r", body: .length(patternedBytes(1_000_000, seed: 5)), answer: answer()),
      Exchange(
        name: "much in chunks", method: "POST", target: "/r",
        body: .chunked((0..<20).map { patternedBytes(40_000, seed: UInt64($0)) }), answer: answer()),
      Exchange(name: "an odd target", target: "/a//b/../c;d?e=f&&g=%zz+'(|)\"", answer: answer()),
      Exchange(name: "a query alone", target: "/?", answer: answer()),
      Exchange(name: "OPTIONS *", method: "OPTIONS", target: "*", answer: answer()),
      Exchange(
        name: "Max-Forwards", method: "OPTIONS", target: "/m", fields: ["Max-Forwards: 5"], answer: answer(),
        changes: ["request:max-forwards"]),
      Exchange(
        name: "Host that is not the target's", target: "/h", answer: answer(), plainChanges: ["request:host"],
        host: "elsewhere.test"),
      Exchange(
        name: "Host in capitals", target: "/h", answer: answer(), plainChanges: ["request:host"], host: "LOCALHOST.test"),
    ]
  }

  private static var statuses: [Exchange] {
    [
      "200 Fine, thank you", "200 ", "201 Created", "202 Accepted", "203 Non-Authoritative Information", "226 IM Used", "299 Odd",
      "300 Multiple Choices", "301 Moved Permanently", "305 Use Proxy", "307 Temporary Redirect", "400 Bad Request", "402 Pay",
      "404 Not Found", "407 Proxy Authentication Required", "408 Request Timeout", "413 Content Too Large",
      "421 Misdirected Request",
      "429 Too Many Requests", "451 Unavailable For Legal Reasons", "499 Odd", "500 Internal Server Error", "502 Bad Gateway",
      "503 Service Unavailable", "504 Gateway Timeout", "508 Loop Detected", "511 Network Authentication Required", "599 Odd",
      "600 Odd", "999 Odd",
    ].map { Exchange(name: "\($0)", target: "/s", answer: answer($0, ["Location: /elsewhere", "Retry-After: 1"])) }
  }

  /// What is for one hop, and stays on a connection that is the client's own.
  private static var hops: [Exchange] {
    [
      Exchange(
        name: "Keep-Alive of an origin", target: "/k",
        answer: answer("200 OK", ["Connection: keep-alive", "Keep-Alive: timeout=5, max=100"])),
      Exchange(
        name: "Connection of an origin that names a field", target: "/k",
        answer: answer("200 OK", ["Connection: X-Hop", "X-Hop: 1"]), changes: ["response:connection", "response:x-hop"]),
      Exchange(
        name: "Connection of a client that names a field and keeps", target: "/k",
        fields: ["Connection: keep-alive, X-Hop", "X-Hop: 1", "X-End: 2"], answer: answer(),
        changes: ["request:connection", "request:x-hop"]),
      Exchange(
        name: "h2c that is offered", target: "/k",
        fields: ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__"], answer: answer(),
        changes: ["request:connection", "request:upgrade", "request:http2-settings"]),
      Exchange(
        name: "TE that is empty", target: "/k", fields: ["TE:", "Connection: TE"], answer: answer(),
        changes: ["request:te", "request:connection"]),
      Exchange(
        name: "Connection: close of a client", target: "/k", fields: ["Connection: close"],
        answer: answer("200 OK", ["Connection: close"]), ends: true),
      Exchange(
        name: "Connection: close of an origin", target: "/k", fields: ["Connection: keep-alive"],
        answer: answer("200 OK", ["connection: Close"]), ends: true),
    ]
  }

  /// HTTP/1.0: what goes on in another version, and in another framing, is listed.
  private static var old: [Exchange] {
    [
      Exchange(
        name: "HTTP/1.0", target: "/0", version: "1.0", answer: answer("200 OK", ["Connection: close"]),
        changes: ["request::version", "request:connection", "response::version"], ends: true),
      Exchange(
        name: "HTTP/1.0 without Host", target: "/0", version: "1.0", answer: answer("200 OK", ["Connection: close"]),
        changes: ["request::version", "request:connection", "request:host", "response::version"], ends: true, host: ""),
      Exchange(
        name: "an origin of HTTP/1.0", target: "/0", answer: raw("HTTP/1.0 200 OK", date, "", "until the end"),
        changes: ["response::version", "response:connection"], ends: true),
      Exchange(
        name: "an origin of HTTP/1.0 with a length", target: "/0",
        answer: raw("HTTP/1.0 200 OK", date, "Content-Length: 2", "", "hi"),
        changes: ["response::version", "response:connection"], ends: true),
    ]
  }
}
