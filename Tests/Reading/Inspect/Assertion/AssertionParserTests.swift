import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Assertion: the language")
struct AssertionParserTests {
  @Test(
    "Rules that are understood",
    arguments: [
      "p95(wait) < 200ms", #"p95(wait, host ~ "api") < 200ms"#, "p99.9(total) <= 1.5s", "p50(resp.size) < 64KiB",
      "max(total) < 1s", "min(wait) >= 1ms", "mean(wait) < 3", "sum(resp.size) <= 1MiB", "max(tcp.rtt) < 5ms",
      "count(status >= 500) == 0", "count() > 0", "count(error) != 1", "ratio(error) < 5%", "ratio(error) < 0.05",
      #"ratio(status >= 500 of host ~ "api" and not error) < 1%"#, "all(status == 200)",
      #"all(resp.header["cache-control"], path like "/static/*")?"#, "none(error)", #"any(status == 404, host == "a, b")"#,
      "new hosts <= baseline.har", #"new paths(host ~ "api") <= "../runs/last good.har""#, "new status? <= a.har",
      "p95(wait) <= 110% of baseline.har", "count(error)? <= baseline.har", "new hosts <= ../runs/2026/base-line_1.har",
      "p50(wait) <= 90% of /tmp/a.har", #"p95(wait)? < 90.5% of "2026-01.har""#,
    ])
  func rules(text: String) throws {
    #expect(try Assertion(text).text == text)
  }

  @Test(
    "Errors point at the column",
    arguments: [
      ("", 1, "expected a rule"), ("p95(wiat) < 200ms", 5, "unknown field wiat"), ("p0(wait) < 1", 1, "unknown rule p0"),
      ("p101(wait) < 1", 1, "unknown rule p101"), ("p95 < 200ms", 5, "expected ("), ("p95(host) < 1", 5, "holds no number"),
      ("p95(wait < 200ms", 10, "expected )"), ("p95(wait)", 10, "expected a comparison"),
      (#"p95(wait) ~ "a""#, 11, "expected a comparison"), ("p95(wait) < ", 13, "expected a value"),
      ("p95(wait) < 5KiB", 13, "unit does not"), ("count() < 5ms", 11, "unit does not"),
      ("ratio(error) < 5ms", 16, "unit does not"),
      ("p95(wait) < 20%", 13, "percentage of what"), ("p95(wait) < 20% of 3", 20, "name of a file"),
      ("count(status >= 500 == 0", 21, "expected )"), ("count(status >= 5OO) == 0", 18, "unknown unit"),
      ("new hots <= a.har", 5, "what must not be new"), ("new hosts < a.har", 11, "expected <="),
      ("new hosts <= ", 14, "name of a file"), ("all() ", 5, "expected the name"), ("none(error) == 0", 13, "expected the end"),
      ("p95(wait) < 1ms p50(wait) < 1ms", 17, "expected the end"), ("(error)", 1, "expected a rule"),
    ])
  func errors(text: String, column: Int, reason: String) throws {
    let error = #expect(throws: QueryError.self) { try Assertion(text) }
    #expect(error?.column == column, "\(text): \(error?.description ?? "")")
    #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    #expect(error?.remedy.isEmpty == false)
  }

  @Test("Only what a rule looks at is read, and its baseline is known")
  func needs() throws {
    #expect(try Assertion("p95(wait, status >= 500) < 1s").parts == [])
    #expect(try Assertion(#"ratio(error of req.header["a"]) < 1%"#).parts == .fields)
    #expect(try Assertion("max(tcp.rtt) < 1s").parts == .custom)
    #expect(try Assertion("p95(wait) < 1s").baseline == nil)
    #expect(try Assertion("p95(wait) <= 110% of main.har").baseline == "main.har")
    #expect(try Assertion("new hosts <= 'a b.har'").baseline == "a b.har")
  }
}
