import TapelineHAR
import Testing

@Suite("Logs of other programs")
struct FixtureTests {
  /// What is wrong with each fixture by HAR 1.2: rule and path.
  static let expected: [String: Set<String>] = [
    "chrome": [
      "bad-url $.log.entries[0].request.url", "merged-header $.log.entries[0].response.headers[1].value",
      "server-address $.log.entries[0].serverIPAddress", "server-address $.log.entries[1].serverIPAddress",
    ],
    "firefox": [
      "missing-member $.log.entries[0].cache.afterRequest.lastAccess", "missing-member $.log.entries[0].cache.afterRequest.eTag",
      "missing-member $.log.entries[0].cache.afterRequest.hitCount", "ssl-outside-connect $.log.entries[0].timings.ssl",
      "post-data-text $.log.entries[0].request.postData.text",
    ],
    "playwright": [
      "url-fragment $.log.entries[0].request.url", "negative-phase $.log.entries[0].timings.send",
      "negative-phase $.log.entries[0].timings.wait", "negative-phase $.log.entries[0].timings.receive",
      "wrong-sum $.log.entries[0].time", "missing-pages $.log.pages", "missing-pageref $.log.entries[0]",
    ],
    "mitmproxy": [
      "cookie-expires $.log.entries[0].response.cookies[0].expires", "ssl-outside-connect $.log.entries[0].timings.ssl",
      "bad-base64 $.log.entries[0].response.content.text", "missing-pages $.log.pages", "missing-pageref $.log.entries[0]",
    ],
    "charles": [
      "bad-url $.log.entries[0].request.url", "wrong-type $.log.entries[0].request.headers",
      "null $.log.entries[0].request.queryString", "quoted-number $.log.entries[0].request.headersSize",
      "quoted-number $.log.entries[0].response.status", "null $.log.entries[0].response.statusText",
      "wrong-type $.log.entries[0].response.headers[0]", "quoted-number $.log.entries[0].response.content.compression",
      "null $.log.entries[0].response.redirectURL", "fraction $.log.entries[0].response.headersSize",
      "server-address $.log.entries[0].serverIPAddress", "null $.log.entries[0].timings.dns", "null $.log.entries[0].timings.ssl",
      "duplicate-member $.log.entries[0].connection", "unquoted-text $.log.entries[0].connection",
      "missing-pages $.log.pages", "missing-pageref $.log.entries[0]",
    ],
    "fiddler": [
      "long-fraction $.log.entries[0].startedDateTime", "server-address $.log.entries[0].serverIPAddress",
      "wrong-sum $.log.entries[0].time", "bad-base64 $.log.entries[0].response.content.text",
      "cookie-expires $.log.entries[0].response.cookies[0].expires", "missing-member $.log.creator.version",
      "missing-pages $.log.pages", "missing-pageref $.log.entries[0]",
    ],
    "proxyman": [
      "bad-date $.log.pages[0].startedDateTime", "bad-date $.log.pages[1].startedDateTime", "null $.log.pages[1].pageTimings",
      "duplicate-page-id $.log.pages[1].id", "null $.log.entries[0]", "bad-date $.log.entries[1].startedDateTime",
      "bad-url $.log.entries[1].request.url", "missing-member $.log.entries[1].request.httpVersion",
      "missing-member $.log.entries[1].request.cookies", "missing-member $.log.entries[1].request.queryString",
      "missing-member $.log.entries[1].request.headersSize", "missing-member $.log.entries[1].request.bodySize",
      "missing-member $.log.entries[1].response.content.size", "missing-member $.log.entries[1].response.content.mimeType",
      "missing-member $.log.entries[1].response.statusText", "missing-member $.log.entries[1].response.httpVersion",
      "missing-member $.log.entries[1].response.cookies", "missing-member $.log.entries[1].response.headers",
      "missing-member $.log.entries[1].response.redirectURL", "missing-member $.log.entries[1].response.headersSize",
      "missing-member $.log.entries[1].response.bodySize", "missing-member $.log.entries[1].timings.send",
      "missing-member $.log.entries[1].timings.wait", "missing-member $.log.entries[1].timings.receive",
      "null $.log.entries[1].time", "missing-member $.log.entries[1].cache", "dangling-pageref $.log.entries[1].pageref",
      "bad-date $.log.entries[2].startedDateTime", "null $.log.entries[2].response", "null $.log.entries[2].cache",
      "negative-phase $.log.entries[2].timings.blocked", "negative-phase $.log.entries[2].timings.send",
      "negative-phase $.log.entries[2].timings.receive", "missing-pageref $.log.entries[2]",
    ],
  ]

  @Test("Every mistake is found at its place, and nothing else", arguments: expected.keys.sorted())
  func mistakes(name: String) throws {
    let found = try findings(Fixture.bytes(name)).findings
    let places = found.map { "\($0.rule.rawValue) \($0.path)" }
    #expect(Set(places) == Self.expected[name])
    #expect(places.count == Set(places).count)
    #expect(found.allSatisfy { $0.isFixable && !$0.message.isEmpty })
  }

  @Test("A log of HTTP/2, with streams that overlap and heads without a size, has no mistakes")
  func http2() throws {
    #expect(try findings(Fixture.bytes("http2"), [.devtools, .firefox, .mitmproxy]).findings == [])
  }

  @Test("What is repaired is clean for every reader, and stays as it is", arguments: expected.keys.sorted())
  func repair(name: String) throws {
    let bytes = try Fixture.bytes(name)
    for profiles in [[], Set(HARProfile.allCases)] {
      let clean = try repaired(bytes, profiles)
      #expect(try findings(clean, profiles).findings == [])
      #expect(try HARLog(json: repaired(clean, profiles)) == HARLog(json: clean))
    }
  }

  @Test("Pieces of any size are the same", arguments: expected.keys.sorted())
  func pieces(name: String) throws {
    let bytes = try Fixture.bytes(name)
    #expect(try findings(bytes, step: 7).findings == findings(bytes).findings)
    #expect(try repaired(bytes, step: 11) == repaired(bytes))
  }

  @Test("The reader reads them all, and says what it met", arguments: expected.keys.sorted().filter { $0 != "proxyman" })
  func warnings(name: String) throws {
    var reader = HARReader(reportsWarnings: true)
    reader.feed(try Fixture.bytes(name))
    reader.finish()
    var warnings: Set<String> = []
    var entries = 0
    while let event = try reader.next() {
      if case .warning(let warning) = event { warnings.insert(warning.path.description) }
      if case .entry = event { entries += 1 }
    }
    #expect(entries > 0)
    let shapes: Set = ["missing-member", "null", "wrong-type", "quoted-number", "unquoted-text", "fraction", "duplicate-member"]
    let expected = (Self.expected[name] ?? []).filter { shapes.contains(String($0.prefix { $0 != " " })) }
    #expect(warnings == Set(expected.map { String($0.drop { $0 != " " }.dropFirst()) }))
  }

  @Test("What a round trip reads and writes is the same", arguments: expected.keys.sorted().filter { $0 != "proxyman" })
  func roundTrip(name: String) throws {
    let log = try HARLog(json: Fixture.bytes(name))
    #expect(try HARLog(json: log.json) == log)
  }
}
