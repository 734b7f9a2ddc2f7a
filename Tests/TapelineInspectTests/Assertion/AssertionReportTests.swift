import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Assertion report")
struct AssertionReportTests {
  /// One rule of each outcome; the first stands in a file.
  static func report() throws -> AssertionReport {
    var entries = [HAREntry.ordinary(), .ordinary(), .ordinary()]
    for index in entries.indices {
      entries[index].timings.wait = Double(index + 1) * 100
      entries[index].request.url = "http://shop.example/orders/\(index)?q=<\"&'>|"
    }
    let rules = [
      try Assertion("p95(wait) < 150ms", origin: Assertion.Origin(file: "ci/rules.txt", line: 7)), try Assertion("none(error)"),
      try Assertion(#"max(dns, host == "x, y")? < 1ms"#),
    ]
    let results = rules.map { rule in
      var check = AssertionCheck(rule, baseline: AssertionBaseline(for: rule), naming: 1)
      for (index, entry) in entries.enumerated() { check.add(entry, number: index + 1) }
      return check.result
    }
    return AssertionReport(file: "a.har", results: results)
  }

  @Test("In a sentence")
  func summary() throws {
    #expect(try Self.report().summary == "1 of 3 rules failed, 1 skipped")
    #expect(AssertionReport(file: "a", results: []).summary == "0 rules kept")
  }

  @Test("As text, at 80 columns")
  func text() throws {
    #expect(
      try Self.report().text(width: 80, palette: Palette(isColored: false)).joined(separator: "\n") == """
        FAIL  p95(wait) < 150ms
              measured 300ms over 3 exchanges: 150ms (100 %) too much
              #3 GET http://shop.example/orders/2?q=<"&'>|  wait 300ms
              … and 1 more
        ok    none(error)
              none of 3 exchanges does
        skip  max(dns, host == "x, y")? < 1ms
              no exchange to measure
        a.har: 1 of 3 rules failed, 1 skipped
        """)
  }

  @Test("As JUnit's XML")
  func junit() throws {
    #expect(
      try Self.report().junit.joined(separator: "\n") == """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="tapeline assert" tests="3" failures="1" errors="0" skipped="1" time="0">
          <testsuite name="a.har" tests="3" failures="1" errors="0" skipped="1" time="0">
            <testcase classname="a.har" name="p95(wait) &lt; 150ms" time="0" file="ci/rules.txt" line="7">
              <failure type="tapeline.assert" message="measured 300ms over 3 exchanges: 150ms (100 %) too much">#3 GET http://shop.example/orders/2?q=&lt;&quot;&amp;'&gt;| (wait 300ms)
        … and 1 more</failure>
            </testcase>
            <testcase classname="a.har" name="none(error)" time="0"/>
            <testcase classname="a.har" name="max(dns, host == &quot;x, y&quot;)? &lt; 1ms" time="0">
              <skipped message="no exchange to measure"/>
            </testcase>
          </testsuite>
        </testsuites>
        """)
  }

  @Test("As annotations of a workflow")
  func github() throws {
    #expect(
      try Self.report().githubAnnotations == [
        "::error file=ci/rules.txt,line=7,title=p95(wait) < 150ms::measured 300ms over 3 exchanges: 150ms (100 %25) too much"
          + "%0A#3 GET http://shop.example/orders/2?q=<\"&'>| (wait 300ms)%0A… and 1 more",
        "::warning title=max(dns%2C host == \"x%2C y\")? < 1ms::no exchange to measure",
        "a.har: 1 of 3 rules failed, 1 skipped",
      ])
  }

  @Test("As JSON")
  func json() throws {
    let json = try Self.report().json
    #expect(json["failed"]?.integer == 1)
    #expect(json["skipped"]?.integer == 1)
    #expect(json["passed"]?.integer == 1)
    let rules = try #require(json["rules"]?.array)
    #expect(rules.map { $0["outcome"]?.string } == ["failed", "passed", "skipped"])
    #expect(rules[0]["line"]?.integer == 7)
    #expect(rules[0]["measured"]?.double == 300)
    #expect(rules[0]["bound"]?.double == 150)
    #expect(rules[0]["offenderCount"]?.integer == 2)
    #expect(rules[0]["offenders"]?.array?.first?["facts"]?["wait"]?.string == "300ms")
    #expect(rules[1]["offenders"] == nil)
  }

  @Test("What strangers wrote drives no terminal and breaks no document")
  func hostile() throws {
    var entry = HAREntry.ordinary()
    entry.request.url = "http://h/\u{1B}[31m\u{0}\n::error::x"
    var check = AssertionCheck(
      try Assertion("none(status == 200)"), baseline: AssertionBaseline(for: try Assertion("none(error)")), naming: 1)
    check.add(entry, number: 1)
    let report = AssertionReport(file: "a.har", results: [check.result])
    let text = report.text(width: 80, palette: Palette(isColored: false)) + report.junit + report.githubAnnotations
    #expect(text.allSatisfy { line in !line.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" } })
    #expect(!report.githubAnnotations.contains { $0.hasPrefix("::error::") })
  }
}
