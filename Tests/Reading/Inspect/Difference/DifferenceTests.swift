import TapelineBase
import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Difference")
struct DifferenceTests {
  @Test("Requests are matched by method and template")
  func matching() {
    let difference = Comparison.difference
    #expect(
      difference.requests.map(\.request.text) == [
        "GET http://shop.test/orders/{id}", "GET http://shop.test/login", "GET http://shop.test/list?n",
      ])
    #expect(difference.added.map(\.request.text) == ["GET http://cdn.test/fresh"])
    #expect(difference.removed.map(\.request.text) == ["GET http://shop.test/gone"])
    #expect(difference.newHosts == ["cdn.test"])
  }

  @Test("Times, of all and of each request")
  func times() throws {
    let difference = Comparison.difference
    let wait = try #require(difference.times.first { $0.part == .phase(.wait) && $0.percent == 50 })
    #expect(wait.before == 11)
    #expect(wait.after == 26)
    #expect(wait.isSignificant)
    #expect(wait.beforeCount == 50)
    let slower = difference.requests(.slower)
    #expect(slower.map(\.request.url) == ["http://shop.test/orders/{id}"])
    #expect(slower[0].leadingChange?.difference == 15)
    #expect(slower[0].leadingPhases.map(\.part) == [.phase(.wait)])
    #expect(difference.requests(.faster).isEmpty)
    #expect(difference.requests[1].times.allSatisfy { $0.interval == nil }, "four exchanges are too few")
  }

  /// Twelve calls of a slow request among many of two faster ones.
  private static func mixture(_ file: String, slow: Double) -> CaptureProfile {
    Comparison.profile(file, count: 132) { entry, index in
      let (path, wait) = index.isMultiple(of: 11) ? ("slow", slow) : index.isMultiple(of: 2) ? ("fast", 5.0) : ("middle", 50)
      entry.request.url = "http://shop.test/\(path)"
      entry.timings.wait = wait * (1 + Double(index * 7 % 5) / 50)
      entry.time = entry.timings.wait + 1
    }
  }

  @Test("A mixture hides no request: each is compared with itself, and the headline is the worst finding")
  func mixture() throws {
    let difference = Difference(before: Self.mixture("a.har", slow: 100), after: Self.mixture("b.har", slow: 300))
    #expect(
      difference.headline.hasPrefix("Slower: GET http://shop.test/slow typically +198 % (95 % interval "),
      "\(difference.headline)")
    #expect(difference.findings.map(\.kind) == [.slower])
    let median = try #require(difference.times.first { $0.part == .total && $0.percent == 50 })
    #expect(!median.isSignificant, "the pooled median cannot see it")
    #expect(try DifferenceLimit("p50 +10%").judge(difference, naming: 3).isBroken)
    #expect(try DifferenceLimit("p95(wait) +10%").judge(difference, naming: 3).isBroken)
    #expect(try !DifferenceLimit("p50 +10% pooled").judge(difference, naming: 3).isBroken)
    let same = Difference(before: Self.mixture("a.har", slow: 100), after: Self.mixture("b.har", slow: 100))
    #expect(same.headline == "No change of any request that is more than chance")
    #expect(same.findings.isEmpty)
  }

  @Test("More errors by more than chance come first; fewer of them are told, with the remark that chance may explain them")
  func errors() {
    let failing = { (every: Int) in
      Comparison.profile("a.har", count: 60) { entry, index in if index.isMultiple(of: every) { entry.response.status = 503 } }
    }
    let often = Difference(before: failing(99), after: failing(4))
    #expect(
      often.headline.hasPrefix("More errors: GET http://example.com/a?b 0 of 60 → 15 of 60 (503 ×15)"), "\(often.headline)")
    let once = Difference(before: failing(99), after: failing(50))
    #expect(once.headline == "New errors: GET http://example.com/a?b 503 in 1 of 60, which may be chance")
    let changed = Difference(
      before: Comparison.profile("a.har", count: 2) { _, _ in },
      after: Comparison.profile("b.har", count: 2) { entry, _ in entry.response.status = 304 })
    #expect(changed.headline == "Changed status: GET http://example.com/a?b 200 → 304 ×2")
    let few = Comparison.profile("a.har", count: 2) { _, _ in }
    #expect(Difference(before: few, after: few).headline == "Too few exchanges of each request to tell a change from chance")
  }

  @Test(
    "Operations of one URL are different requests",
    arguments: [
      (#"{"operationName":"Orders","query":"query Orders { a }"}"#, "application/json", "query Orders"),
      (#"{"jsonrpc":"2.0","method":"getOrders","id":1}"#, "application/json; charset=utf-8", "getOrders"),
      (#"{"method":"getOrders"}"#, "application/json", ""), ("operationName", "text/plain", ""),
    ])
  func operations(body: String, type: String, name: String) {
    let profile = Comparison.profile("a.har", count: 2) { entry, index in
      entry.request.method = "POST"
      entry.request.url = "http://shop.test/api"
      if index == 1 { entry.request.postData = HARPostData(mimeType: type, text: body) }
    }
    let expected =
      name.isEmpty ? ["POST http://shop.test/api"] : ["POST http://shop.test/api", "POST http://shop.test/api [\(name)]"]
    #expect(profile.requests.keys.map(\.text).sorted() == expected)
  }

  @Test("Statuses, redirects, sizes and headers, in sequence")
  func facts() throws {
    let difference = Comparison.difference
    let status = try #require(difference.requests[0].outcomes.first)
    #expect(status.before.text == "200")
    #expect(status.after.text == "503")
    #expect(status.count == 3)
    #expect(status.afterNumber == 10)
    let redirects = difference.requests[1].redirects
    #expect(redirects.map(\.before) == ["/home/{id}"])
    #expect(redirects.map(\.after) == ["/account"])
    #expect(redirects.map(\.count) == [4])
    #expect(difference.requests.map(\.hasOtherSizes) == [false, false, true])
    #expect(difference.headers.map(\.name) == ["server", "x-cache"])
    #expect(difference.headers[0].before == "one")
    #expect(difference.headers[0].after == "two")
    #expect(difference.headers[0].count == 49)
    #expect(difference.headers[0].requestCount == 3)
    #expect(difference.headers[1].before == nil)
    #expect(difference.newErrors.map(\.count) == [3])
  }

  @Test("A capture does not differ from itself")
  func same() {
    let same = Difference(before: Comparison.before, after: Comparison.before)
    #expect(same.times.allSatisfy { $0.difference == 0 && !$0.isSignificant })
    #expect(same.added.isEmpty && same.removed.isEmpty && same.headers.isEmpty && same.newErrors.isEmpty)
    #expect(same.requests.allSatisfy { $0.outcomes.isEmpty && $0.redirects.isEmpty && !$0.hasOtherSizes })
    #expect(same.requests(.slower).isEmpty && same.requests(.faster).isEmpty)
  }

  @Test("A field that varies is said once")
  func varyingHeaders() {
    let varied = { (salt: Int) in
      Comparison.profile("a.har", count: 20) { entry, index in
        entry.response.headers.append(HARHeader(name: "X-Node", value: "\(index * salt)"))
      }
    }
    let headers = Difference(before: varied(1), after: varied(1_000)).headers
    #expect(headers.map(\.name) == ["x-node"])
    #expect(headers.first?.varies == true)
    #expect(headers.first?.count == 20)
  }

  @Test("Headers that vary without end leave status and redirects comparable, and it is said")
  func endlessHeaders() {
    let varied = { (status: Int) in
      Comparison.profile("a.har", count: 400) { entry, index in
        entry.response.status = status
        entry.response.headers.append(HARHeader(name: "X-Node", value: "\(index * status)"))
      }
    }
    let difference = Difference(before: varied(200), after: varied(500))
    #expect(difference.requests.first?.outcomes.map(\.count) == [400])
    #expect(difference.uncomparedAnswers == 0)
    #expect(difference.uncomparedHeads == 144)
    #expect(difference.remarks.contains { $0.hasPrefix("of 144 exchanges the headers vary") })
  }

  @Test("A response that did not come has lost no fields")
  func failures() {
    let failed = Comparison.profile("b.har", count: 3) { entry, _ in entry = .refused() }
    let fine = Comparison.profile("a.har", count: 3) { _, _ in }
    let difference = Difference(before: fine, after: failed)
    #expect(difference.headers.isEmpty)
    #expect(difference.newErrors.map(\.outcome.text) == ["ERR"])
  }

  @Test("How long tunnels were open is no time")
  func tunnels() {
    let tunnels = Comparison.profile("a.har", count: 20) { entry, _ in entry = .tunnel() }
    #expect(Difference(before: tunnels, after: tunnels).times.isEmpty)
  }

  @Test("Memory has a bound: requests beyond it are counted together")
  func manyRequests() {
    let letters = Array("abcdefghijklmnop")
    let many = Comparison.profile("a.har", count: 2_500) { entry, index in
      entry.request.url = "http://h/" + [index / 256, index / 16 % 16, index % 16].map { String(letters[$0]) }.joined()
    }
    #expect(many.requests.count == CaptureProfile.requestLimit)
    #expect(many.overflow == 500)
    #expect(Difference(before: many, after: many).remarks.contains { $0.hasPrefix("1000 exchanges of requests beyond") })
  }

  @Test("A change of version is told, whatever its spelling; names in lower case are no change")
  func versions() throws {
    func profile(_ version: String, header: String) -> CaptureProfile {
      Comparison.profile("x.har", count: 3) { entry, _ in
        entry.response.httpVersion = version
        entry.response.headers = [HARHeader(name: header, value: "one")]
      }
    }
    let difference = Difference(before: profile("http/1.1", header: "Server"), after: profile("h2", header: "server"))
    let change = try #require(difference.requests.first?.versions.first)
    #expect([change.before, change.after] == ["HTTP/1.1", "HTTP/2"])
    #expect(change.count == 3)
    #expect(difference.headers.isEmpty)
    let limit = try DifferenceLimit("changed versions")
    #expect(limit.judge(difference, naming: 5).details == ["GET http://example.com/a?b: HTTP/1.1 → HTTP/2 ×3"])
    #expect(limit.judge(difference, naming: 5).isBroken)
    let text = DifferenceText(difference, verdicts: [], limit: 9, width: 80, palette: Palette(isColored: false)).lines
    #expect(text.contains("  GET http://example.com/a?b  HTTP/1.1 → HTTP/2 ×3"))
    #expect(DifferenceMarkdown(difference, verdicts: [], limit: 9).lines.contains { $0.contains("HTTP/1.1 → HTTP/2 ×3") })
    #expect(difference.json(verdicts: [])["requests"]?.array?.first?["versions"]?.array?.count == 1)
    let same = Difference(before: profile("HTTP/2", header: "a"), after: profile("http/2.0", header: "a"))
    #expect(same.requests.first?.versions.isEmpty == true)
    let unknown = Difference(before: profile("", header: "a"), after: profile("h2", header: "a"))
    #expect(unknown.requests.first?.versions.isEmpty == true)
  }
}
