import TapelineCore
import TapelineHTTP
import TapelineHTTP2
import TapelineBase
import TapelineTime
import TapelineTransport
import Testing

@testable import TapelineRecorder

/// A credential in every place where a message may have one: what the redaction is asked of.
struct SecretPlacement: Sendable, CustomTestStringConvertible {
  let name: String
  let record: ExchangeRecord
  /// Whether the body is JSON and must be so without the secret.
  var isJSON = false

  var testDescription: String { name }

  static let secret = "q8Zk4Lw0Xys3cr3tV7"
  /// In digits: `secret` in the places of numbers.
  static let number = "90210448133"

  static func all() throws -> [SecretPlacement] {
    try fields() + targets() + pseudoFields() + bodies() + codings() + charsets() + mediaTypes() + echoes() + messages()
  }

  // MARK: Heads

  private static func fields() throws -> [SecretPlacement] {
    let requests = [
      ("Authorization", "Bearer \(secret)"), ("Authorization", "Basic \(base64("u:" + secret))"), ("Authorization", secret),
      ("Authorization", "Own \(secret)"), ("Authorization", "Digest username=\"u\", response=\"\(secret)\""),
      ("Proxy-Authorization", "Basic \(base64("u:" + secret))"), ("Cookie", "sid=\(secret)"), ("Cookie", "a=1; b=\(secret); c=2"),
      ("X-Api-Key", secret), ("X-Auth-Token", secret), ("X-Auth", secret), ("Api-Key", secret), ("X-CSRF-Token", secret),
      ("X-Amz-Security-Token", secret), ("Private-Token", secret), ("Referer", "http://h/?token=\(secret)"),
      ("Referer", "http://u:\(secret)@h/"), ("X-Original-URL", "/a?access_token=\(secret)"), ("X-Note", "Bearer \(secret)"),
      ("Sec-WebSocket-Protocol", "chat, access_token, \(secret)"), ("Sec-WebSocket-Protocol", "bearer, \(secret)\(secret)"),
      ("X-Json", #"{"password":"\#(secret)"}"#), ("X-Auth-Cookie", secret), ("X-Hub-Signature-256", "sha256=\(secret)"),
      ("auth-token-bin", secret), ("authorization-bin", secret), ("Authentication", secret), ("Accept", "a/b;token=\(secret)"),
      ("Cache-Control", "max-age=0, api_key=\(secret)"), ("Keep-Alive", "timeout=5, token=\(secret)"),
      ("TE", "trailers, token=\(secret)"),
      ("Date", "token=\(secret)"), ("Sec-WebSocket-Key", "token=\(secret)"),
    ]
    let responses = [
      ("Set-Cookie", "sid=\(secret); Path=/; HttpOnly"), ("Set-Cookie", secret), ("Set-Cookie2", "sid=\(secret)"),
      ("Location", "/cb?code=\(secret)&state=x"), ("Location", "/#access_token=\(secret)"), ("Location", "http://u:\(secret)@h/"),
      ("grpc-message", "token=\(secret)"), ("grpc-message", "%7B%22token%22%3A%22\(secret)%22%7D"),
      ("X-Api-Key", secret), ("Refresh", "0; url=/?token=\(secret)"), ("Link", "</a?sig=\(secret)>; rel=next"),
      ("Content-Location", "/a?token=\(secret)"), ("Authentication-Token", secret),
      ("Set-Cookie", "a=1; Max-Age=3; session=\(secret)"), ("Set-Cookie", "=;\(secret)"),
      ("Set-Cookie", "a=1; Comment=token=\(secret)"),
      ("Server-Timing", "auth;desc=\"token=\(secret)\""), ("Alt-Svc", "h2=\"h:443\"; token=\(secret)"),
      ("Retry-After", "token=\(secret)"), ("Content-Encoding", "token=\(secret)"),
    ]
    var placements: [SecretPlacement] = []
    for (name, value) in requests {
      placements.append(
        SecretPlacement(
          name: "request \(name): \(value)", record: try ExampleExchange.make(fields: [("Host", "h"), (name, value)])))
      var trailers = try ExampleExchange.make()
      trailers.requestTrailers = HeaderFields([(name, value)])
      placements.append(SecretPlacement(name: "request trailer \(name): \(value)", record: trailers))
    }
    for (name, value) in responses {
      placements.append(
        SecretPlacement(name: "response \(name): \(value)", record: try ExampleExchange.make(responseFields: [(name, value)])))
      var trailers = try ExampleExchange.make()
      trailers.responseTrailers = HeaderFields([(name, value)])
      trailers.informational = [ResponseHead(status: 103, fields: HeaderFields([(name, value)]))]
      placements.append(SecretPlacement(name: "response trailer and 103 \(name): \(value)", record: trailers))
    }
    return placements
  }

  private static func targets() throws -> [SecretPlacement] {
    let nested = "http%3A%2F%2Fh%2F%3Ftoken%3D\(secret)%26a%3Db"
    return try [
      "http://u:\(secret)@h/", "http://h/?token=\(secret)", "http://h/?a=1&API-Key=\(secret)&b", "http://h/?%74oken=\(secret)",
      "http://h/?next=\(nested)", "http://h/?next=http%3A%2F%2Fi%2F%3Fnext%3D\(nested.replacing("%", with: "%25"))",
      "http://h/cb?state=1&code=\(secret)", "http://h/?code_verifier=\(secret)", "http://h/?x[password]=\(secret)",
      "http://h/?X-Amz-Signature=\(secret)", "http://h/?data=%7B%22token%22%3A%22\(secret)%22%7D", "http://h/?a;token=\(secret)",
    ].map { SecretPlacement(name: "target \($0)", record: try ExampleExchange.make(url: $0)) }
  }

  private static func pseudoFields() throws -> [SecretPlacement] {
    let nested = "http%3A%2F%2Fh%2F%3Ftoken%3D\(secret)%26a%3Db"
    return try ["/?token=\(secret)", "/?next=\(nested)", "/cb?state=1&code=\(secret)", "/?%74oken=\(secret)"].map { path in
      let head = try HTTP2RequestHead(
        HTTP2HeaderList([(":method", "GET"), (":scheme", "http"), (":authority", "h"), (":path", path)]))
      var record = try ExampleExchange.make()
      record.request = try head.head()
      record.http2 = HTTP2Details(clientStream: 1, stream: nil, request: head.list, response: nil)
      return SecretPlacement(name: "pseudo-field \(path)", record: record)
    }
  }

  // MARK: Bodies

  /// Texts with a secret, by their type.
  static let texts: [(type: String, text: String)] = {
    let json = [
      #"{"password":"S"}"#, #"{"a":[{"b":{"c":{"api_key":"S"}}}]}"#, #"{"token":N}"#, #"{"token":-N}"#, #"{"token":N.5}"#,
      #"{"token":-N.5e3}"#, #"{"credentials":{"user":"S","n":[N,-N.25]}}"#, #"{"credentials":["S",{"a":N}]}"#,
      #"{"body":"{\"token\":\"S\"}"}"#, #"{"body":"{\"token\":N,\"x\":1}"}"#, #"{"a":"{\"b\":\"{\\\"token\\\":\\\"S\\\"}\"}"}"#,
      #"{"a":"{\"b\":\"{\\\"c\\\":\\\"{\\\\\\\"token\\\\\\\":\\\\\\\"S\\\\\\\"}\\\"}\"}"}"#,
      #"{"a":"{\"credentials\":{\"x\":\"S\",\"n\":N}}"}"#, #"{"url":"https://h/?page=2\u0026token=S"}"#,
      #"{"log":"POST /\nAuthorization: Bearer S\nHost: h"}"#, #"{"grant_type":"authorization_code","code":"S"}"#,
      #"{ "secret" : "S" }"#, "{\n  \"client_secret\":\n    \"S\"\n}", #"{"headers":{"Authorization":"Basic S"}}"#,
      #"{"html":"<input name=\"token\" value=\"S\">"}"#,
    ]
    let lines = ["{\"token\":\"S\"}\n{\"token\":\"S\"}\n", "{\"a\":1}\n{\"session_id\":\"S\"}"]
    let events = [
      "event: a\ndata: {\"token\":\"S\"}\n\n", "data: {\"token\":\ndata: \"S\"}\n\n", "data: token=S\n\n",
      "data: password: S\n\n",
    ]
    let markup = [
      "<r><Password>S</Password></r>", "<r><ns:SessionToken>S</ns:SessionToken></r>", "<r><password><![CDATA[S]]></password></r>",
      "<r><password>\n <![CDATA[S]]>\n</password></r>", "<user name=\"x\" password=\"S\"/>", "<user apiKey='S' id='1'></user>",
      "<password type=\"plain\">S</password>", "<credentials><user>S</user><a><b>S</b></a></credentials>",
      "<add key=\"ClientSecret\" value=\"S\"/>", "<entry key=\"db.password\">S</entry>",
    ]
    let html = [
      #"<input type="hidden" name="csrf_token" value="S">"#, "<input type=hidden name=csrf_token value=S>",
      #"<input value="S" type="hidden" name="csrf_token">"#, "<input value=S name=token>", #"<input value='S' type='password'>"#,
      #"<meta content="S" name="csrf-token">"#, #"<meta name="csrf-token" content="S" />"#, "<textarea name=token>S</textarea>",
      #"<a href="/x?a=b&amp;token=S">"#, "<script>var apiKey = 'S';</script>", "<script>f({token: \"S\"})</script>",
      #"<div data-token="S">"#, #"<input id="password" value="S">"#,
    ]
    let yaml = [
      "password: S", "db:\n  password: S\n", "users:\n  - name: a\n    token: S\n", "env:\n  - API_KEY=S\n",
      "a:\n    secret: 'S'\n",
      "private_key: |\n  S\n  S\nother: 1\n", "a:\n  secret: >-\n    S\n",
    ]
    let shell = [
      "export API_KEY=S\n", "export API_KEY='S'\n", "  export TOKEN=\"S\"", "API_KEY=S", "set PASSWORD=S\r\n",
      "aws_secret_access_key = S\n",
      "db.password=S\n", "[a]\n  token = S\n", "ENV API_TOKEN=S\n", "curl 'https://u:S@h/'", "Authorization: Bearer S\n",
      "the Bearer S is",
      ":password=>\"S\"", "\"password\" => \"S\"", "GET /?token=S HTTP/1.1\n",
    ]
    let forms = [
      "password=S&a=b", "a=b&client_secret=S", "pass%77ord=S", "x[token]=S", "redirect=http%3A%2F%2Fh%3Ftoken%3DS",
      "code=S&grant_type=authorization_code",
    ]
    let multipart = [
      "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nS\r\n--b--\r\n",
      "--b\r\nContent-Disposition: form-data; name=token\r\nContent-Type: text/plain\r\n\r\nS\r\n--b--\r\n",
      String(repeating: "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n", count: 1_005)
        + "--b\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\nS\r\n--b--\r\n",
      "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.json\"\r\n\r\n{\"token\":\"S\"}\r\n--b--\r\n",
    ]
    func of(_ type: String, _ texts: [String]) -> [(type: String, text: String)] {
      texts.map { (type, $0.replacing(/\bS\b/, with: secret).replacing(/\bN\b/, with: number)) }
    }
    return of("application/json", json) + of("application/x-ndjson", lines) + of("text/event-stream", events)
      + of("application/xml", markup) + of("text/html", html) + of("application/yaml", yaml) + of("text/plain", shell)
      + of("application/x-www-form-urlencoded", forms) + of("multipart/form-data; boundary=b", multipart)
      + of("multipart/form-data", [multipart[0]]) + SecretTexts.all.flatMap { of($0.type, $0.texts) }
  }()

  private static func bodies() throws -> [SecretPlacement] {
    try texts.flatMap { (type, text) in
      [
        SecretPlacement(
          name: "request body \(type): \(text.prefix(80))",
          record: try ExampleExchange.make(
            method: .post, fields: [("Host", "h"), ("Content-Type", type)], requestBody: ExampleExchange.body(text))),
        SecretPlacement(
          name: "response body \(type): \(text.prefix(80))", record: try exchange(answering: Array(text.utf8), type: type),
          isJSON: type == "application/json"),
      ]
    }
  }

  private static func exchange(
    answering body: [UInt8], type: String, fields: [(String, String)] = []
  ) throws -> ExchangeRecord {
    try ExampleExchange.make(
      responseFields: (type.isEmpty ? [] : [("Content-Type", type)]) + fields, responseBody: ExampleExchange.body(body))
  }

  private static func codings() throws -> [SecretPlacement] {
    let plain = Array(#"{"a":"b","password":"\#(secret)"}"#.utf8)
    let gzip = StoredCoding.gzip(plain)
    var damaged = gzip
    damaged[damaged.count - 6] ^= 0xFF
    let bodies: [(String, [UInt8])] = [
      ("gzip", gzip), ("x-gzip", gzip), ("deflate", StoredCoding.deflate(plain)), ("zstd", StoredCoding.zstandard(plain)),
      ("gzip, gzip", StoredCoding.gzip(gzip)), ("gzip, identity", gzip), ("utf-8", plain), ("none", plain), ("identity", plain),
      ("UTF8", plain),
      ("binary", plain), ("compress", plain), ("foo", plain), ("gzip", plain), ("br", plain), ("zstd", plain), ("deflate", plain),
      ("gzip, gzip, gzip, gzip, gzip", plain), ("gzip", damaged), ("foo, gzip", gzip),
      ("aws-chunked", StoredCoding.chunked(plain)),
      ("aws-chunked, gzip", StoredCoding.chunked(gzip)), ("gzip, aws-chunked", StoredCoding.chunked(gzip)),
      ("aws-chunked", plain),
      ("gzip", Array(gzip.dropLast(8))), ("gzip", Array(gzip.dropLast(4))),
    ]
    return try bodies.map { coding, body in
      SecretPlacement(
        name: "coding \(coding), \(body.prefix(4))",
        record: try exchange(answering: body, type: "application/json", fields: [("Content-Encoding", coding)]))
    }
  }

  private static func charsets() throws -> [SecretPlacement] {
    let text = Array(#"{"password":"\#(secret)","x":"y"}"#.utf8)
    func wide(_ stride: Int, _ lane: Int) -> [UInt8] { text.flatMap { byte in (0..<stride).map { $0 == lane ? byte : 0 } } }
    let bodies: [(String, [UInt8])] = [
      ("", text), ("; charset=utf-8", text), ("; charset=iso-8859-1", text + [0xE9]),
      ("; charset=shift_jis", text + [0x93, 0xFA]),
      ("; charset=nobody-knows", text), ("", text + [0xFF]), ("; charset=utf-16", [0xFF, 0xFE] + wide(2, 0)),
      ("", [0xFE, 0xFF] + wide(2, 1)),
      ("; charset=utf-16le", wide(2, 0)), ("; charset=utf-16be", wide(2, 1)), ("; charset=utf-16", wide(2, 1)), ("", wide(2, 0)),
      ("", wide(2, 1)), ("; charset=utf-8", wide(2, 0)), ("", wide(2, 0) + [0]), ("; charset=utf-32", wide(4, 0)),
      ("", wide(4, 3)),
      ("; charset=iso-2022-jp", text), ("; charset=gbk", text),
    ]
    return try bodies.flatMap { charset, body in
      try ["application/json", "text/plain", "application/octet-stream"].map { type in
        SecretPlacement(
          name: "charset \(type)\(charset), \(body.prefix(4))", record: try exchange(answering: body, type: type + charset))
      }
    }
  }

  private static func mediaTypes() throws -> [SecretPlacement] {
    let body = Array(#"{"password":"\#(secret)"}"#.utf8)
    return try [
      "", "text/html", "text/css", "text/csv", "image/png", "image/svg+xml", "audio/mpeg", "video/mp4", "font/woff2",
      "application/pdf",
      "application/octet-stream", "application/grpc", "application/ld+json", "application/x-unknown", "message/http", "nonsense",
    ].map { SecretPlacement(name: "media type \($0)", record: try exchange(answering: body, type: $0)) }
  }

  // MARK: Echoes

  /// Ways in which a client says a secret.
  private static let sources: [(name: String, url: String, fields: [(String, String)], body: String)] = [
    ("bearer", "http://h/", [("Authorization", "Bearer \(secret)")], ""),
    ("basic", "http://h/", [("Authorization", "Basic \(base64("user:" + secret))")], ""),
    ("cookie", "http://h/", [("Cookie", "sid=\(secret)")], ""), ("query", "http://h/?token=\(secret)", [], ""),
    ("form", "http://h/", [("Content-Type", "application/x-www-form-urlencoded")], "password=\(secret)"),
  ]

  private static func echoes() throws -> [SecretPlacement] {
    let padded = ["", "a", "ab"].map { base64($0 + secret) }
    let bodies: [(String, [UInt8])] = [
      ("text/plain", Array("you said \(secret)!".utf8)), ("text/html", Array("<p>\(secret)</p>".utf8)),
      ("application/json", Array(#"{"you":["x","\#(secret)"]}"#.utf8)), ("image/png", [0x89, 0, 1, 2] + Array(secret.utf8)),
      ("application/octet-stream", [0, 1, 2] + Array(secret.utf8) + [0]), ("text/plain", Array(padded[0].utf8)),
      ("text/plain", Array(padded[1].utf8)), ("text/plain", Array(padded[2].utf8)),
      ("text/plain", secret.utf8.flatMap { [$0, 0] }),
    ]
    var placements: [SecretPlacement] = []
    for source in sources {
      func make() throws -> ExchangeRecord {
        try ExampleExchange.make(
          method: .post, url: source.url, fields: [("Host", "h")] + source.fields, requestBody: ExampleExchange.body(source.body),
          responseFields: [("Content-Type", "text/plain")])
      }
      func add(_ name: String, _ change: (inout ExchangeRecord) throws -> Void) throws {
        var record = try make()
        try change(&record)
        placements.append(SecretPlacement(name: "\(source.name) in \(name)", record: record))
      }
      for (type, body) in bodies {
        try add("\(type) \(body.prefix(6))") { record in
          record.response = ResponseHead(status: 200, fields: HeaderFields([("Content-Type", type)]))
          record.responseBody = ExampleExchange.body(body)
        }
      }
      try add("a field") { $0.response = ResponseHead(status: 200, fields: HeaderFields([("X-Echo", "say \(secret)")])) }
      try add("a location") { $0.response = ResponseHead(status: 302, fields: HeaderFields([("Location", "/users/\(secret)/")])) }
      try add("a type") {
        $0.response = ResponseHead(status: 200, fields: HeaderFields([("Content-Type", "text/plain; x=\(secret)")]))
      }
      try add("the reason") { $0.response = ResponseHead(status: 400, reason: "No \(secret)", fields: HeaderFields()) }
      try add("a failure") {
        $0.failure = ExchangeRecord.Failure(origin: .upstream, phase: .wait, kind: .transport(.closed), message: "got \(secret)")
        $0.comment = "about \(secret)"
      }
      try add("a trailer and a 103") {
        $0.responseTrailers = HeaderFields([("X-Echo", secret)])
        $0.informational = [ResponseHead(status: 103, reason: "At \(secret)", fields: HeaderFields([("X-Echo", secret)]))]
      }
      try add("messages") { record in
        record.webSocketMessages = [message("hello \(secret)", opcode: 1), message("\u{1}\(secret)", opcode: 2)]
        record.webSocketMessageCount = 2
      }
    }
    return placements + (try lateEchoes())
  }

  /// A secret that the response shows first.
  private static func lateEchoes() throws -> [SecretPlacement] {
    let path = try ExampleExchange.make(
      url: "http://h/reset/\(secret)", responseFields: [("Content-Type", "application/json")],
      responseBody: ExampleExchange.body(#"{"reset_token":"\#(secret)"}"#))
    let cookie = try ExampleExchange.make(
      fields: [("Host", "h"), ("X-Seen", secret)], responseFields: [("Set-Cookie", "sid=\(secret)"), ("X-Same", "is \(secret)")])
    var messages = try ExampleExchange.make(fields: [("Host", "h"), ("X-Seen", secret)])
    messages.webSocketMessages = [message("hello \(secret)", opcode: 1), message(#"{"token":"\#(secret)"}"#, opcode: 1)]
    messages.webSocketMessageCount = 2
    return [
      SecretPlacement(name: "path before the body", record: path),
      SecretPlacement(name: "field before Set-Cookie", record: cookie),
      SecretPlacement(name: "message before a message", record: messages),
    ]
  }

  private static func message(_ text: String, opcode: UInt8, isCompressed: Bool = false) -> WebSocketMessage {
    WebSocketMessage(
      instant: ExampleExchange.anchor.instant, direction: .toClient, opcode: opcode, isCompressed: isCompressed,
      bytes: Array(text.utf8), size: UInt64(text.utf8.count))
  }

  private static func messages() throws -> [SecretPlacement] {
    try [
      message(#"{"token":"\#(secret)"}"#, opcode: 1), message(#"{"token":"\#(secret)"}"#, opcode: 2),
      message("Bearer \(secret)", opcode: 9), message(#"{"token":"\#(secret)"}"#, opcode: 1, isCompressed: true),
      message("{\"a\":\"{\\\"password\\\":\\\"\(secret)\\\"}\"}", opcode: 1),
    ].map { message in
      var record = try ExampleExchange.make(responseFields: [("Upgrade", "websocket")])
      record.webSocketMessages = [message]
      record.webSocketMessageCount = 1
      return SecretPlacement(name: "message \(message.opcode) \(message.isCompressed)", record: record)
    }
  }

  static func base64(_ text: String) -> String {
    Base64.encode(Array(text.utf8))
  }
}

/// Codings that change nothing but what stands around a body: no compressor is needed, and the secret is in clear in them.
enum StoredCoding {
  static func gzip(_ body: [UInt8]) -> [UInt8] {
    [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF] + stored(body) + littleEndian(crc(body)) + littleEndian(UInt32(body.count))
  }

  static func deflate(_ body: [UInt8]) -> [UInt8] {
    var (low, high): (UInt32, UInt32) = (1, 0)
    for byte in body {
      low = (low + UInt32(byte)) % 65_521
      high = (high + low) % 65_521
    }
    return [0x78, 0x01] + stored(body) + littleEndian(high << 16 | low).reversed()
  }

  /// One raw block in a single segment (RFC 8878, 3.1.1).
  static func zstandard(_ body: [UInt8]) -> [UInt8] {
    let header = UInt32(body.count) << 3 | 1
    return [0x28, 0xB5, 0x2F, 0xFD, 0x20, UInt8(body.count)] + littleEndian(header).prefix(3) + body
  }

  /// Two chunks, as S3's clients send them.
  static func chunked(_ body: [UInt8]) -> [UInt8] {
    let middle = body.count / 2 + 3
    let end = Array("0;chunk-signature=0123456789abcdef\r\nx-amz-checksum-crc32:sOO8/Q==\r\n\r\n".utf8)
    return chunk(body.prefix(middle)) + chunk(body.dropFirst(middle)) + end
  }

  private static func chunk(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    Array("\(String(bytes.count, radix: 16));chunk-signature=0123456789abcdef\r\n".utf8) + bytes + Array("\r\n".utf8)
  }

  private static func stored(_ body: [UInt8]) -> [UInt8] {
    let size = UInt16(body.count)
    return [1, UInt8(size & 0xFF), UInt8(size >> 8), UInt8(~size & 0xFF), UInt8(~size >> 8)] + body
  }

  private static func littleEndian(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) }
  }

  private static func crc(_ body: [UInt8]) -> UInt32 {
    var crc: UInt32 = .max
    for byte in body {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
  }
}
