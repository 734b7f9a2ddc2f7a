import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Difference limit")
struct DifferenceLimitTests {
  @Test(
    "Limits that are broken",
    arguments: [
      ("p95 +10% pooled", "pooled total p95 15.0ms → 30.0ms (+100 %, 95 % interval "),
      ("p50(wait) +14ms pooled", "pooled wait p50 11.0ms → 26.0ms (+136 %, "),
      ("p50(wait) +14ms", "1 beyond it; 1 of 3 requests have enough exchanges to tell"),
      ("p95 +10%", "1 beyond it; 1 of 3 requests have enough exchanges to tell"), ("size +5%", "250 B → 10.0 KiB (×41)"),
      ("wire +1KiB", "250 B → 7.5 KiB (×31)"), ("errors +2", "0 errors → 3 errors"), ("new errors", "1 found"),
      ("new requests", "1 found"), ("new hosts", "1 found"), ("removed requests", "1 found"), ("changed status", "1 found"),
      ("changed redirects", "1 found"), ("changed headers", "2 found"),
    ])
  func broken(text: String, message: String) throws {
    let verdict = try DifferenceLimit(text).judge(Comparison.difference, naming: 1)
    #expect(verdict.isBroken)
    #expect(verdict.message.hasPrefix(message), "\(verdict.message)")
  }

  @Test(
    "Limits that are kept",
    arguments: [
      "p95 +150%", "p50(wait) +16ms", "p50(wait) -10%", "p95 +200% pooled", "size +1MiB", "wire -50%", "count +0", "count -0",
      "errors +3",
    ])
  func kept(text: String) throws {
    let verdict = try DifferenceLimit(text).judge(Comparison.difference, naming: 1)
    #expect(!verdict.isBroken, "\(verdict.message)")
  }

  @Test("A fall is limited too")
  func fall() throws {
    let back = Difference(before: Comparison.after, after: Comparison.before)
    #expect(try DifferenceLimit("p50 -10%").judge(back, naming: 1).isBroken)
    #expect(try !DifferenceLimit("p50 +10%").judge(back, naming: 1).isBroken)
    #expect(try DifferenceLimit("size -50%").judge(back, naming: 1).isBroken)
  }

  @Test("What chance makes breaks nothing; of too few, the figure alone counts")
  func chance() throws {
    let profile = { (count: Int, offset: Int) in
      Comparison.profile("a.har", count: count) { entry, index in entry.time = Double((index * 37 + offset) % 100) }
    }
    let noisy = try DifferenceLimit("p50 +0% pooled").judge(Difference(before: profile(30, 9), after: profile(30, 0)), naming: 1)
    #expect(!noisy.isBroken)
    #expect(noisy.message.hasSuffix("no more than chance makes"), "\(noisy.message)")
    let few = try DifferenceLimit("p50 +0%").judge(Difference(before: profile(5, 0), after: profile(5, 20)), naming: 1)
    #expect(few.isBroken)
    #expect(few.message.contains("of 5 exchanges, too few to be sure"), "\(few.message)")
    #expect(
      try DifferenceLimit("p50(dns) +0%").judge(Comparison.difference, naming: 1).isBroken, "nothing to compare is no success")
  }

  @Test("The worst are named, the rest counted")
  func details() throws {
    let verdict = try DifferenceLimit("changed headers").judge(Comparison.difference, naming: 1)
    #expect(verdict.details == ["response server: one → two", "… and 1 more"])
    let errors = try DifferenceLimit("new errors").judge(Comparison.difference, naming: 9)
    #expect(errors.details == ["GET http://shop.test/orders/{id}: 503 ×3"])
  }

  @Test(
    "Errors point at the column",
    arguments: [
      ("", 1, "expected a limit"), ("p95", 4, "by how much"), ("p95 +10", 5, "without a unit"),
      ("p95 +10KiB", 5, "unit does not"),
      ("size +10ms", 6, "unit does not"), ("p95(host) +1%", 5, "name of a time"), ("p95(wait +1%", 10, "expected )"),
      ("p100 +1%", 1, "unknown limit"), ("speed +1%", 1, "unknown limit"), ("new things", 5, "expected what is new"),
      ("p95 +1% each", 9, "each is the rule"), ("count +1% pooled", 11, "pooled is for percentiles"),
      ("p95 +1% p50", 9, "expected the end"),
      ("new", 4, "expected what is new"),
    ])
  func errors(text: String, column: Int, reason: String) throws {
    let error = #expect(throws: QueryError.self) { try DifferenceLimit(text) }
    #expect(error?.column == column, "\(text): \(error?.description ?? "")")
    #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    #expect(error?.remedy.isEmpty == false)
  }
}
