@testable import TapelineOffline
internal import TapelineHAR
internal import TapelineTestSupport
internal import Testing

/// HARs with the faults that their programs are known for. Each names the report of the fault.
@Suite struct HARImports {
  private static func fixture(_ name: String) -> String {
    "\(repositoryRoot)/Tests/Fixtures/import/\(name).har"
  }

  /// - Parameter faults: how many errors cannot be repaired.
  private static func imported(
    _ name: String, keepsSecrets: Bool = false, leaving faults: Int = 0
  ) throws -> (log: HARLog, text: String) {
    let directory = try TemporaryDirectory()
    let output = directory.path("out.har")
    let settings = ImportSettings(
      output: output, replaces: false, redactionFiles: [], keepsSecrets: keepsSecrets, bodyLimit: 1 << 20, isQuiet: true,
      version: "0")
    try HARImport(fixture(name), settings).run()
    #expect(try fileMode(output) & 0o777 == 0o600)
    let bytes = try readFile(output)
    #expect(try HARValidator.findings(in: bytes).count == faults)
    return (try HARLog(json: bytes), String(decoding: bytes, as: UTF8.self))
  }

  /// Pseudo-fields among the headers (har-to-k6, issue 12); names of ALPN as versions; `Set-Cookie` lines in one.
  @Test func chrome() throws {
    let (log, text) = try Self.imported("chrome")
    let entry = log.entries[0]
    #expect(entry.request.headers.map(\.name) == ["authorization"])
    #expect(entry.request.custom["_pseudo"]?.array?.count == 4)
    #expect(entry.response.headers.map(\.name) == ["set-cookie", "set-cookie"])
    #expect(entry.request.httpVersion == "HTTP/2" && entry.response.httpVersion == "HTTP/2")
    #expect(entry.request.url == "https://fonts.test/css?family=a%7Cb")
    #expect(entry.serverIPAddress == "2001:db8::1")
    #expect(entry.custom["_priority"] == "High")
    #expect(log.entries[1].request.httpVersion == "unknown")
    #expect(log.entries[1].response.custom["_error"] == "net::ERR_BLOCKED_BY_CLIENT")
    #expect(log.comment == "imported from a HAR of WebInspector 537.36")
    #expect(log.creator.name == "tapeline")
    #expect(!text.contains("abcdefghij0123456789") && !text.contains("hunter2"))
  }

  /// `time` is null (har-export-trigger, issue 11); `compression` is a text (bidi-har-export, issue 36); `ssl` beside `connect`;
  /// a body that is in `params` alone.
  @Test func firefox() throws {
    let (log, text) = try Self.imported("firefox")
    let entry = log.entries[0]
    #expect(entry.timings.connect == 12 && entry.timings.ssl == 9)
    #expect(entry.time == 61)
    #expect(entry.response.content.compression == 0)
    #expect(entry.connection == "80" && entry.serverIPAddress == "192.0.2.1")
    #expect(entry.request.postData?.text?.hasPrefix("user=eve&password=SENSITIVE_") == true)
    #expect(!text.contains("correct"))
    #expect(log.browser?.name == "Firefox")
  }

  /// No pages, and entries without a response (Proxyman for Windows, issue 560). A URL that cannot be repaired is in the comment.
  @Test func proxyman() throws {
    let (log, _) = try Self.imported("proxyman", leaving: 1)
    #expect(log.pages.count == 1 && log.entries.allSatisfy { $0.pageref == log.pages[0].id })
    #expect(log.entries[0].time == 1_948 && log.entries[0].timings.wait == 1_948)
    #expect(log.entries[1].request.url == "http://api.test/relative")
    #expect(log.entries[1].response.status == 0)
    #expect(log.entries[2].comment?.hasPrefix("not repaired: ") == true)
  }

  /// A body as it was on the wire, headers as an object, quoted numbers, dates without a zone and with seven decimals.
  @Test func charles() throws {
    let (log, text) = try Self.imported("charles")
    let entry = log.entries[0]
    #expect(entry.startedDateTime == "2026-01-02T03:04:05.123456Z")
    #expect(entry.request.headers == [HARHeader(name: "Host", value: "h.test")])
    #expect(entry.response.status == 200)
    #expect(entry.response.content.encoding == nil)
    #expect(entry.response.content.text?.hasPrefix(#"{"access_token":"SENSITIVE_"#) == true)
    #expect(entry.response.content.size == 164)
    #expect(entry.response.content.compression == 164 - entry.response.bodySize)
    #expect(!text.contains("abcdefghijklmnop"))
  }

  @Test func secretsStayIfTheUserWantsThem() throws {
    #expect(try Self.imported("firefox", keepsSecrets: true).text.contains("password=correct"))
  }
}
