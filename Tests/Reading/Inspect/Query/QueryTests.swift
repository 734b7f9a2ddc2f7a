import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Query")
struct QueryTests {
  private static let entry: HAREntry = {
    var entry = HAREntry(
      pageref: "page_2", startedDateTime: "2026-01-02T03:04:05.000000Z", time: 512.5,
      request: HARRequest(
        method: "POST", url: "https://API.example.com:8443/v1/orders/77?size=100&token=x", httpVersion: "HTTP/1.1",
        cookies: [HARCookie(name: "sid", value: "abc", secure: false)],
        headers: [
          HARHeader(name: "X-Trace", value: "one"), HARHeader(name: "x-trace", value: "two"),
          HARHeader(name: "X-Size", value: "2048"),
        ],
        queryString: [HARQueryParameter(name: "size", value: "100")],
        postData: HARPostData(mimeType: "application/json; charset=utf-8", text: #"{"item":"lamp"}"#), headersSize: 120,
        bodySize: 15),
      response: HARResponse(
        status: 503, statusText: "Service Unavailable", httpVersion: "HTTP/1.1",
        headers: [HARHeader(name: "Content-Type", value: "Text/HTML; charset=utf-8")],
        content: HARContent(size: 70_000, compression: 4_464, mimeType: "Text/HTML; charset=utf-8", text: "<p>sorry</p>"),
        bodySize: 65_536),
      timings: HARTimings(blocked: 0.5, dns: -1, connect: -1, send: 2, wait: 500, receive: 10, ssl: -1),
      serverIPAddress: "10.0.0.7",
      connection: "8443", comment: "seen")
    entry.custom = [
      "_tcp": ["server": ["rtt": 12, "retransmits": 0]], "_tls": ["version": "TLSv1.3", "resumed": true], "_connectionId": "41",
      "_anomalies": ["a bare LF"], "_chunks": [["ts": 10, "bytes": 100], ["ts": 20, "bytes": 900]], "_empty": [],
      "_error": ["origin": "upstream", "phase": "receive", "kind": "closed", "message": "cut off"],
    ]
    entry.cache = HARCache(
      afterRequest: HARCacheState(expires: "2026-02-01T00:00:00Z", lastAccess: "2026-01-01T00:00:00Z", eTag: "", hitCount: 2))
    entry.timings.custom["_queued"] = 3
    entry.request.postData?.custom["_encoding"] = "base64"
    entry.request.postData?.text = "eyJpdGVtIjoibGFtcCJ9"
    entry.response.custom["_transferSize"] = 7
    return entry
  }()

  private func matches(_ query: String) throws -> Bool {
    try Query(query).matches(Self.entry, number: 3)
  }

  @Test(
    "Conditions that hold",
    arguments: [
      "status >= 500", "status == 503", "status in (502, 503)", "status not in (200, 404)", "not status < 500",
      #"method == "POST""#, #"method in ("PUT", "POST")"#, #"method != "GET""#,
      #"host == "api.example.com""#, #"host ~ "example""#, #"host ~ "^api\.""#, #"host like "*.example.com""#,
      #"path like "/v?/orders/*""#,
      #"path == "/v1/orders/77""#, "port == 8443", #"scheme == "https""#, #"url ~ 'token=x$'"#,
      "wait > 200ms", "wait > 0.4s", "wait == 500", "total <= 512.5", "send < 3", "wait >= 500000us",
      "resp.size >= 64KiB", "resp.size < 1MiB", "content.size == 70kB", "req.size == 15B",
      #"req.header["x-trace"] == "two""#, #"req.header["X-TRACE"]"#, #"query["size"] == "100""#, #"req.cookie["SID"] == "abc""#,
      #"resp.header["content-type"] ~ "(?i)text/html""#, #"mime == "text/html""#, #"type == "document""#,
      #"req.mime == "application/json""#,
      #"req.body ~ "lamp""#, #"resp.body like "<p>*""#,
      "tcp.rtt > 5ms", "_tcp.server.rtt == 12", #"tls.version == "TLSv1.3""#, "tls.resumed", "tls.resumed == true", "_anomalies",
      #"_anomalies ~ "LF""#, "error", #"error.kind == "closed""#, #"error.phase in ("receive", "wait")"#, "reused",
      "reused == true",
      "number == 3", #"page == "page_2""#, #"ip like "10.*""#, #"connection == "41""#, #"comment == "seen""#,
      #"host == "API.example.com""#, #"start >= "2026-01-02T03:04:05Z""#, #"start < "2026-01-02T04:04:06+01:00""#,
      #"start ~ "^2026""#, "tls", "tcp", "_chunks", "_chunks.bytes > 500", "_chunks.bytes == 100",
      #"req.header["x-size"] > 1kB"#, #"req.header["x-size"] == 2048"#, #"req.version == "HTTP/1.1""#,
      "time > 500ms", "timings.wait == 500", "response.status == 503", #"request.headers["x-trace"] == "one""#,
      #"request.headers.name == "X-Trace""#, "response.content.compression == 4464", #"request.cookies.secure == false"#,
      #"cache.afterRequest.expires > "2026-01-01""#, "cache.afterRequest.hitCount == 2", "request.postData",
      "timings._queued > 1ms", #"request.postData._encoding like "*64""#, #"response._transferSize > 1"#,
      "status >= 500 and wait > 1s or reused", "(status < 500 or wait > 100ms) and not dns", "not (not error)",
    ])
  func holds(query: String) throws {
    #expect(try matches(query), "\(query)")
  }

  @Test(
    "Conditions that do not",
    arguments: [
      "status < 500", "dns", "dns >= 0", "dns < 1h", "ssl == 0", "_empty", "_chunks.bytes > 1000", "client.tls",
      #"start > "2026-01-02T03:04:05Z""#, #"cache.beforeRequest.expires > "2026-01-01""#, "cache.beforeRequest",
      #"req.header["x-trace"] > 1"#, #"comment == "SEEN""#,
      #"host ~ "^example""#,
      #"path like "/v1""#, #"req.header["absent"]"#, #"req.header["absent"] == """#, "_nothing.at.all", "tls.resumed == false",
      "not reused", #"error.kind == "refused""#, "status >= 500 and wait > 1s", #"resp.body ~ "lamp""#, "tcp.retransmits",
      "number > 3", "status == 503 and not error",
    ])
  func fails(query: String) throws {
    #expect(try !matches(query), "\(query)")
  }

  @Test("A method is found however it is spelled in the query, and a capture's own spelling is found by itself")
  func methods() throws {
    var entry = HAREntry.ordinary()
    for (method, queries) in [
      ("GET", [#"method == "get""#, #"method in ("Get", "post")"#, #"not method != "gEt""#]),
      ("get", [#"method == "get""#, #"method != "GET""#]), ("purge", [#"method == "purge""#]),
    ] {
      entry.request.method = method
      for query in queries { #expect(try Query(query).matches(entry, number: 1), "\(query)") }
    }
    #expect(try !Query(#"method == "purge""#).matches(.ordinary(), number: 1))
  }

  @Test("What the log does not say is unequal, and neither less nor more")
  func absent() throws {
    #expect(try matches("dns != 5ms"))
    #expect(try matches("not dns > 5ms"))
    #expect(try !matches("dns <= 5ms"))
    #expect(try matches(#"req.header["absent"] != "x""#))
  }

  @Test("`and` binds closer than `or`, `not` closer than `and`")
  func precedence() throws {
    #expect(try matches("error or error and dns"))
    #expect(try !matches("(error or error) and dns"))
    #expect(try matches("not dns and error"))
    #expect(try !matches("not (dns or error)"))
  }

  @Test(
    "Errors point at the column",
    arguments: [
      ("status >= 5OO", 12, "unknown unit"), ("status >= ", 11, "expected a value"),
      ("wait > 5KiB", 8, "unit is not the field's"),
      ("host >= 5", 9, "holds text"), ("status ~ \"5\"", 10, "holds no text"), ("hots == \"a\"", 1, "unknown field hots"),
      ("host = \"a\"", 6, "unexpected ="), ("host == \"a", 9, "has no end"), ("(status == 200", 15, "expected )"),
      ("status == 200 status", 15, "expected the end"), ("req.header == \"a\"", 1, "needs a name"),
      ("host[\"a\"]", 1, "no parts by name"),
      ("host ~ \"a(\"", 8, "not a regular expression"), ("", 1, "expected the name"), ("and", 1, "unknown field and"),
      ("host not \"a\"", 10, "expected in"), ("host in \"a\"", 9, "expected ("), ("status == true", 11, "not true or false"),
      ("reused > 3", 10, "true or false"), ("host == a", 9, "holds text"), ("status == 1.2.3", 11, "not a number"),
      ("status $ 3", 8, "unexpected $"), ("request.methd == \"GET\"", 1, "unknown field request.methd"),
      ("start > 5", 9, "expected a date"), ("start > \"soon\"", 9, "expected a date"), ("cache.hits", 1, "unknown field"),
      ("host ~ api", 8, "expected a text"),
    ])
  func errors(query: String, column: Int, reason: String) throws {
    let error = #expect(throws: QueryError.self) { try Query(query) }
    #expect(error?.column == column, "\(query)")
    #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    #expect(error?.remedy.isEmpty == false)
  }

  @Test(
    "A name that is spelled nearly right is recognised",
    arguments: [("hots", "host"), ("stauts", "status"), ("req.headers", "req.header"), ("wiat", "wait"), ("totl", "total")])
  func spelling(written: String, meant: String) {
    let error = #expect(throws: QueryError.self) { try Query(written) }
    #expect(error?.remedy.hasPrefix("did you mean \(meant)") == true, "\(error?.remedy ?? "")")
  }

  @Test("A text without quotes is told to have some")
  func quotes() {
    let error = #expect(throws: QueryError.self) { try Query("method == GET") }
    #expect(error?.remedy == "put it in quotes: \"GET\"")
  }

  @Test("Nesting has a bound, not a crash")
  func depth() throws {
    let error = #expect(throws: QueryError.self) { try Query(String(repeating: "(", count: 100_000)) }
    #expect(error?.reason == "nested too deeply")
    #expect(throws: QueryError.self) { try Query(String(repeating: "not ", count: 100_000) + "error") }
  }

  @Test(
    "The parts of client and proxy are times of their own, and not of the total or of blocked; HAR's own members are what they are",
    arguments: [
      "client == 100", "proxy == 1", "total == 22.456ms", "blocked == 0.5", "time == 123.456", "timings.blocked == 101.5",
      "_blocked.client == 100",
      "not ended", "not changed",
    ])
  func client(query: String) throws {
    #expect(try Query(query).matches(.afterSlowClient(), number: 1), "\(query)")
  }

  @Test("What the client ended, and what the proxy changed")
  func endedAndChanged() throws {
    for query in ["ended", "ended == \"wait\"", "not error", "status == 0", "not changed"] {
      #expect(try Query(query).matches(.ended(), number: 1), "\(query)")
    }
    var entry = HAREntry.ordinary()
    #expect(try !Query("client").matches(entry, number: 1))
    entry.custom["_changes"] = [["leg": "request", "change": "removed", "name": "Proxy-Connection", "from": "close"]]
    #expect(try Query("changed and _changes.name == \"Proxy-Connection\"").matches(entry, number: 1))
    entry.custom["_changes"] = []
    #expect(try !Query("changed").matches(entry, number: 1))
  }

  @Test("It asks only for what it reads")
  func parts() throws {
    #expect(try Query("status >= 500 and wait > 1s or error").parts == [])
    #expect(try Query("total > 1s and client > 1ms and time > 1s and timings.blocked or ended").parts == [])
    #expect(try Query("changed").parts == .custom)
    #expect(try Query(#"req.header["a"]"#).parts == .fields)
    #expect(try Query("tcp.rtt > 3ms").parts == .custom)
    #expect(try Query(#"connection == "1""#).parts == .custom)
    #expect(try Query("cache.afterRequest").parts == .all)
    #expect(try Query(#"resp.body ~ "x" or query["a"]"#).parts == [.bodies, .custom, .fields])
  }

  @Test("A page is asked for by its title, and by its id as well")
  func pages() throws {
    var entry = Self.entry
    entry.pageTitle = "log in"
    for (query, holds) in [
      (#"page == "log in""#, true), (#"page == "page_2""#, true), (#"page ~ "^log""#, true), (#"page like "log*""#, true),
      (#"page in ("a", "log in")"#, true), (#"page != "log in""#, false), (#"page != "page_2""#, false),
      (#"page != "log out""#, true),
      ("page", true), (#"pageref == "page_2""#, true), (#"pageref == "log in""#, false),
    ] {
      #expect(try Query(query).matches(entry, number: 1) == holds, "\(query)")
    }
    #expect(try Query("page").parts == .pageTitle)
    #expect(try Query("pageref").parts == .overview)
    let columns = try ListColumns("page,pageref")
    #expect(columns.values(of: entry, number: 1).map(\.plainText) == ["log in", "page_2"])
    #expect(ExchangeRecords.json(entry, number: 1, columns: columns) == #"{"page":"log in","pageref":"page_2"}"#)
    #expect(columns.values(of: Self.entry, number: 1).map(\.plainText) == ["page_2", "page_2"])
    #expect(
      QueryValue.precedes(.titled("a", id: "z"), .text("b")) && !QueryValue.precedes(.titled("b", id: "a"), .titled("a", id: "b"))
    )
  }
}
