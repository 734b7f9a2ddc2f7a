import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Capture profile")
struct CaptureProfileTests {
  @Test("Counts, sizes and hosts")
  func counts() {
    let profile = Comparison.after
    #expect(profile.exchanges == 50)
    #expect(profile.failures == 0)
    #expect(profile.errorCount == 3)
    #expect(profile.wire.total == 45 * 5 + 5 * 1_500)
    #expect(profile.hosts == ["shop.test", "cdn.test"])
  }

  @Test("A redirect is found in the field where the log has it nowhere else")
  func location() {
    let redirected = { (target: String) in
      Comparison.profile("a.har", count: 1) { entry, _ in
        entry.response.status = 302
        entry.response.headers = [HARHeader(name: "Location", value: target)]
      }
    }
    let redirects = Difference(before: redirected("/a/1"), after: redirected("/b/1")).requests.first?.redirects
    #expect(redirects?.map(\.before) == ["/a/{id}"])
    #expect(redirects?.map(\.after) == ["/b/{id}"])
  }

  @Test("The same program elsewhere")
  func ignoringHost() {
    let at = { (base: String, ignoresHost: Bool) in
      var profile = CaptureProfile(file: "a.har", options: MatchingOptions(ignoresHost: ignoresHost))
      var entry = HAREntry.ordinary()
      entry.request.url = base + "/orders/7"
      profile.add(entry, number: 1)
      return profile
    }
    let strict = Difference(before: at("https://a.test", false), after: at("http://b.test:81", false))
    #expect(strict.requests.isEmpty)
    #expect(strict.added.count == 1)
    let lenient = Difference(before: at("https://a.test", true), after: at("http://b.test:81", true))
    #expect(lenient.requests.map(\.request.text) == ["GET /orders/{id}"])
  }

  @Test("Nonsense of foreign logs traps nowhere")
  func nonsense() {
    let wild = Comparison.profile("a.har", count: 50) { entry, index in
      entry.time = index.isMultiple(of: 2) ? 1e300 : -.infinity
      entry.timings.wait = .nan
      entry.response.bodySize = .max
      entry.response.content.size = .max
      entry.response.status = .min
      entry.request.url = ""
    }
    let difference = Difference(before: wild, after: Comparison.before)
    let lines = DifferenceText(difference, verdicts: [], limit: 9, width: 80, palette: Palette(isColored: false)).lines
    #expect(!lines.isEmpty)
    #expect(difference.before.wire.total == 50 << 50)
  }
}
