import TapelineTestSupport
import Testing

/// A server of the differential test, and the table that is played with it.
struct Stage {
  let port: UInt16
  let table: [Exchange]
  /// Keeps the server.
  let server: any Sendable
}

/// The real servers' files: text that is worth compressing, bytes that are not, nothing, and much.
enum StageFiles {
  static let all: [(name: String, bytes: [UInt8])] = [
    ("text.txt", Array(String(repeating: "A line of text that can be compressed.\n", count: 1000).utf8)),
    ("page.html", Array("<!doctype html><title>x</title>\(String(repeating: "<p>again and again</p>\n", count: 400))".utf8)),
    ("data.bin", patternedBytes(100_000, seed: 8)), ("empty.txt", []), ("big.bin", patternedBytes(3_000_000, seed: 9)),
  ]

  /// Apache gives a weak `ETag` for a file that has just changed, and a strong one a second later.
  static func makeOld(_ more: [String] = [], in directory: String) throws {
    let paths = (all.map(\.name) + more).map { "\(directory)/\($0)" }
    try #require(try TestProcess("touch", ["-d", "2020-01-01T00:00:00Z"] + paths).wait().isSuccess)
  }

  /// What a server says of a file, asked directly.
  static func validators(of path: String, port: UInt16) throws -> (etag: String, lastModified: String) {
    let client = try RawClient(port: port)
    try client.send("HEAD \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
    let response = try client.receiveResponse(to: "HEAD")
    return (try #require(response.value(of: "ETag")), try #require(response.value(of: "Last-Modified")))
  }
}

/// What both real servers are asked: a product where that is honest.
enum CommonExchanges {
  /// - Parameter endsAfterFailedConditions: nginx says keep-alive with 412, and ends the connection.
  static func all(etag: String, lastModified: String, endsAfterFailedConditions: Bool) -> [Exchange] {
    let conditions = conditions(etag: etag, lastModified: lastModified).map { exchange in
      var exchange = exchange
      let fails = ["If-Match: \"other\"", "If-Unmodified-Since: \(past)"].contains(exchange.fields[0])
      exchange.ends = fails && endsAfterFailedConditions
      return exchange
    }
    return content + ranges(etag: etag, lastModified: lastModified) + conditions + connections + statuses
  }

  private static let past = "Thu, 01 Jan 1998 00:00:00 GMT"

  /// 2 methods × 4 files × 6 wishes.
  private static var content: [Exchange] {
    let codings = [nil, "gzip", "gzip, deflate, br", "identity", "gzip;q=0", "*"]
    return ["GET", "HEAD"].flatMap { method in
      ["text.txt", "page.html", "data.bin", "empty.txt"].flatMap { file in
        codings.map { coding in
          Exchange(
            name: "\(method) \(file), \(coding ?? "no Accept-Encoding")", method: method, target: "/\(file)",
            fields: coding.map { ["Accept-Encoding: \($0)"] } ?? [])
        }
      }
    } + [.get("a large body", "/big.bin"), .get("a large body, compressible or not", "/big.bin", ["Accept-Encoding: gzip"])]
  }

  private static func ranges(etag: String, lastModified: String) -> [Exchange] {
    let ranges = [
      "bytes=0-0", "bytes=0-99", "bytes=-10", "bytes=100-", "bytes=0-4,10-14", "bytes=99999999-", "bytes=5-2", "chars=0-5",
    ]
    return ["text.txt", "data.bin"].flatMap { file in
      ranges.map { .get("\(file), \($0)", "/\(file)", ["Range: \($0)"]) }
    } + [
      .get("If-Range that holds", "/text.txt", ["Range: bytes=0-9", "If-Range: \(etag)"]),
      .get("If-Range that does not", "/text.txt", ["Range: bytes=0-9", "If-Range: \"other\""]),
      .get("If-Range by date", "/text.txt", ["Range: bytes=0-9", "If-Range: \(lastModified)"]),
      .get("a range of what is compressed", "/text.txt", ["Range: bytes=0-9", "Accept-Encoding: gzip"]),
      Exchange(name: "HEAD with Range", method: "HEAD", target: "/data.bin", fields: ["Range: bytes=0-9"]),
    ]
  }

  private static func conditions(etag: String, lastModified: String) -> [Exchange] {
    [
      "If-None-Match: \(etag)", "If-None-Match: W/\(etag)", "If-None-Match: *", "If-None-Match: \"other\"",
      "If-None-Match: \"other\", \(etag)", "If-Modified-Since: \(lastModified)", "If-Modified-Since: \(past)",
      "If-Modified-Since: yesterday", "If-Match: \(etag)", "If-Match: \"other\"", "If-Unmodified-Since: \(past)",
      "If-Unmodified-Since: \(lastModified)",
    ].flatMap { condition in
      [
        .get(condition, "/text.txt", [condition]),
        .get("\(condition), and gzip", "/text.txt", [condition, "Accept-Encoding: gzip"]),
      ]
    }
  }

  /// Fields for one hop. On a connection of its own the client's wish is the origin's to hear.
  private static var connections: [Exchange] {
    [
      .get("Connection: keep-alive", "/text.txt", ["Connection: keep-alive"]),
      .get("Connection: Keep-Alive and Keep-Alive", "/text.txt", ["Connection: Keep-Alive", "Keep-Alive: timeout=5, max=10"]),
      .get("TE: trailers", "/text.txt", ["TE: trailers", "Connection: TE"]),
      Exchange(
        name: "TE of a coding that we could not relay", target: "/text.txt", fields: ["TE: deflate;q=0.5"],
        changes: ["request:te"]),
      Exchange(
        name: "Proxy-Connection", target: "/text.txt", proxyFields: ["Proxy-Connection: Keep-Alive"],
        plainChanges: ["request:proxy-connection"]),
      Exchange(
        name: "Proxy-Connection beside Connection", target: "/text.txt", fields: ["Connection: keep-alive"],
        proxyFields: ["proxy-connection: keep-alive"], plainChanges: ["request:proxy-connection"]),
      Exchange(
        name: "Proxy-Authorization for nobody", target: "/text.txt", proxyFields: ["Proxy-Authorization: Basic bWU6c2VjcmV0"],
        plainChanges: ["request:proxy-authorization"]),
      Exchange(
        name: "Connection that names a field", target: "/text.txt", fields: ["Connection: X-Hop", "X-Hop: 1"],
        changes: ["request:connection", "request:x-hop"]),
      Exchange(name: "Connection: close", target: "/text.txt", fields: ["Connection: close"], ends: true),
      Exchange(name: "Connection: Close, spelled so", target: "/empty.txt", fields: ["connection: Close"], ends: true),
      Exchange(
        name: "HEAD and Connection: close", method: "HEAD", target: "/data.bin", fields: ["Connection: close"], ends: true),
      Exchange(
        name: "HTTP/1.0", target: "/data.bin", version: "1.0",
        changes: ["request::version", "request:connection", "response::version"], ends: true),
      Exchange(
        name: "HTTP/1.0 that keeps", target: "/data.bin", version: "1.0", fields: ["Connection: keep-alive"],
        changes: ["request::version", "request:connection", "response:connection", "response::version", "response:keep-alive"]),
      .get("after HTTP/1.0 that keeps", "/data.bin"),
    ]
  }

  private static var statuses: [Exchange] {
    [301, 302, 303, 307, 308].map { .get("\($0)", "/moved-\($0)") } + [
      .get("404", "/nothing"), .get("404, and gzip", "/nothing", ["Accept-Encoding: gzip"]), .get("403", "/forbidden"),
      .get("401 without credentials", "/private/text.txt"),
      .get("204", "/nothing-to-say"),
      .get("a directory without its slash", "/private"), .get("cookies, several lines", "/cookies"),
      .get("with cookies", "/text.txt", ["Cookie: a=1; b=2", "Cookie: c=3"]),
      Exchange(name: "HEAD of 404", method: "HEAD", target: "/nothing"),
      Exchange(name: "OPTIONS", method: "OPTIONS", target: "/text.txt"),
      Exchange(name: "OPTIONS *", method: "OPTIONS", target: "*"),
      Exchange(name: "DELETE", method: "DELETE", target: "/text.txt"),
      Exchange(name: "a method that nobody knows", method: "FROB", target: "/text.txt"),
      Exchange(name: "POST to a file", method: "POST", target: "/nothing", body: .length(Array("a=1".utf8))),
      Exchange(
        name: "Host that is not the target's", target: "/text.txt", plainChanges: ["request:host"], host: "elsewhere.test"),
    ]
  }
}
