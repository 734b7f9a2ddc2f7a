import Testing

@testable import TapelineInspect

@Suite("Difference text")
struct DifferenceTextTests {
  private static func text(
    _ difference: Difference = Comparison.difference, verdicts: [LimitVerdict] = [], limit: Int = 10, width: Int = 80,
    isUnicode: Bool = true
  ) -> String {
    DifferenceText(
      difference, verdicts: verdicts, limit: limit, width: width, palette: Palette(isColored: false, isUnicode: isUnicode)
    ).lines.joined(separator: "\n")
  }

  @Test("At 80 columns")
  func narrow() throws {
    let verdicts = try ["new errors", "count +0"].map { try DifferenceLimit($0).judge(Comparison.difference, naming: 3) }
    #expect(
      Self.text(verdicts: verdicts) == """
        before  before.har  50 exchanges, 0 failed, 4 requests
        after   after.har  50 exchanges, 0 failed, 4 requests

        Slower: GET http://shop.test/orders/{id} typically +116 % (95 % interval +111 %
        … +122 %), p50 13.0ms → 28.0ms, wait +15.0ms, and 1 more

        pooled         before    after   change          95 % interval
        total   p50    12.0ms   27.0ms   +125 %      +14.0ms … +16.0ms
                p95    15.0ms   30.0ms   +100 %      +15.0ms … +15.0ms
        wait    p50    11.0ms   26.0ms   +136 %      +14.0ms … +16.0ms
                p95    14.0ms   29.0ms   +107 %      +15.0ms … +15.0ms
        receive p50    1.00ms   1.00ms      0 %      +0.00ms … +0.00ms
                p95    1.00ms   1.00ms      0 %      +0.00ms … +0.00ms

        slower requests
          GET http://shop.test/orders/{id}
            typically +116 % (95 % interval +111 % … +122 %), p50 13.0ms → 28.0ms
            40 exchanges, wait +15.0ms

        new requests
          GET http://cdn.test/fresh  200 ×1  #45

        removed requests
          GET http://shop.test/gone  200 ×1  #45

        changed status
          GET http://shop.test/orders/{id}  200 → 503 ×3 (#10)

        changed redirects
          GET http://shop.test/login  /home/{id} → /account ×4

        changed sizes
          GET http://shop.test/list?n
            decoded 5 B → 2.0 KiB (×400), wire 5 B → 1.5 KiB (×300)

        changed headers (2)
          response server  one → two  49 exchanges of 3 requests
          response x-cache  added: HIT  49 exchanges of 3 requests

        FAIL  new errors
              1 found
              GET http://shop.test/orders/{id}: 503 ×3
        ok    count +0
              50 exchanges → 50 exchanges

        pooled: over the exchanges of all requests, so that it also changes if the
        mixture of requests does
        """)
  }

  @Test("No line is wider than asked for", arguments: [80, 100, 160])
  func widths(width: Int) {
    let lines = Self.text(width: width).split(separator: "\n").map(String.init)
    #expect(lines.allSatisfy { $0.cellCount <= width })
  }

  @Test("Nothing has changed")
  func same() {
    let same = Difference(before: Comparison.before, after: Comparison.before)
    let text = Self.text(same)
    #expect(text.contains("nothing else has changed"))
    #expect(!text.contains("slower") && text.contains("No change of any request that is more than chance"))
    #expect(!text.contains("too few"))
  }

  @Test("Long lists are cut, and it is said")
  func limit() {
    #expect(Self.text(limit: 1).contains("changed headers (2)\n  response server"))
    #expect(Self.text(limit: 1).contains("  … and 1 more; see --top"))
  }

  @Test("For terminals without characters beyond ASCII")
  func ascii() {
    #expect(Self.text(isUnicode: false).utf8.allSatisfy { $0 < 0x80 })
  }
}
