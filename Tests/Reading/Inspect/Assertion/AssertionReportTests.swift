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
    return AssertionReport(file: "a.har", results: results, floor: AssertionFloor(found: 3, required: 1, isFiltered: false))
  }

  @Test("In a sentence")
  func summary() throws {
    #expect(try Self.report().summary == "1 of 3 rules failed, 1 skipped")
    let floor = AssertionFloor(found: 1, required: 1, isFiltered: false)
    #expect(AssertionReport(file: "a", results: [], floor: floor).summary == "0 rules kept")
  }

  /// A rule that a capture of nothing keeps.
  private static func empty(_ floor: AssertionFloor) throws -> AssertionReport {
    let rule = try Assertion("count(status >= 500) == 0")
    let check = AssertionCheck(rule, baseline: AssertionBaseline(for: rule), naming: 1)
    return AssertionReport(file: "a.har", results: [check.result], floor: floor)
  }

  @Test("A capture without exchanges has failed in every format, whatever the rules say")
  func floor() throws {
    let report = try Self.empty(AssertionFloor(found: 0, required: 1, isFiltered: false))
    #expect(report.failures == 1 && report.count(.failed) == 0)
    #expect(
      report.text(width: 80, palette: Palette(isColored: false)).joined(separator: "\n") == """
        FAIL  --min-exchanges 1
              no exchanges: nothing was checked; --allow-empty permits that
        ok    count(status >= 500) == 0
              0 of 0 exchanges
        a.har: 1 rule kept, too few exchanges
        """)
    #expect(
      report.junit[1...4] == [
        #"<testsuites name="tapeline assert" tests="2" failures="1" errors="0" skipped="0" time="0">"#,
        #"  <testsuite name="a.har" tests="2" failures="1" errors="0" skipped="0" time="0">"#,
        #"    <testcase classname="a.har" name="--min-exchanges 1" time="0">"#,
        #"      <failure type="tapeline.assert" message="no exchanges: nothing was checked; --allow-empty permits that"></failure>"#,
      ])
    #expect(
      report.githubAnnotations.first
        == "::error title=--min-exchanges 1::no exchanges: nothing was checked; --allow-empty permits that")
    #expect(report.json["failed"]?.integer == 1)
    #expect(report.json["exchanges"]?.integer == 0)
    #expect(report.json["minExchanges"]?.integer == 1)
    #expect(report.json["message"]?.string == "no exchanges: nothing was checked; --allow-empty permits that")
  }

  @Test("What the floor says, and that it says nothing when it is met")
  func floorMessage() throws {
    #expect(AssertionFloor(found: 2, required: 5, isFiltered: true).message == "2 exchanges that --filter chooses: 3 too few")
    #expect(AssertionFloor(found: 1, required: 2, isFiltered: false).message == "1 exchange: 1 too few")
    let met = try Self.empty(AssertionFloor(found: 0, required: 0, isFiltered: false))
    #expect(met.failures == 0)
    #expect(met.text(width: 80, palette: Palette(isColored: false)).first == "ok    count(status >= 500) == 0")
    #expect(met.githubAnnotations == ["a.har: 1 rule kept"])
    #expect(met.json["message"] == nil)
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

  @Test("As JUnit's XML, a suite for each page")
  func pages() throws {
    var entries = [HAREntry.ordinary(), .ordinary(), .ordinary(), .ordinary()]
    for (index, page) in [("page_2", "log in"), ("page_3", "buy"), ("page_3", "buy"), ("page_5", nil)].enumerated() {
      entries[index].pageref = page.0
      entries[index].pageTitle = page.1
      entries[index].timings.wait = Double(index) * 100
      entries[index].request.url = "http://shop.example/\(index)"
    }
    var pages = PageCensus()
    for entry in entries { pages.add(entry) }
    let rules = ["max(wait) < 50ms", "none(error)", "count() > 9", #"max(dns, host == "x")? < 1ms"#]
    let results = try rules.map { text in
      let rule = try Assertion(text)
      var check = AssertionCheck(rule, baseline: AssertionBaseline(for: rule), naming: 1)
      for (index, entry) in entries.enumerated() { check.add(entry, number: index + 1) }
      return check.result
    }
    let floor = AssertionFloor(found: 4, required: 1, isFiltered: false)
    let report = AssertionReport(file: "a.har", results: results, floor: floor, pages: pages)
    #expect(report.summary == "2 of 4 rules failed, 1 skipped")
    #expect(
      report.junit.joined(separator: "\n") == """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="tapeline assert" tests="8" failures="3" errors="0" skipped="1" time="0">
          <testsuite name="a.har" tests="2" failures="1" errors="0" skipped="1" time="0">
            <testcase classname="a.har" name="count() &gt; 9" time="0">
              <failure type="tapeline.assert" message="4 exchanges: 5 too few"></failure>
            </testcase>
            <testcase classname="a.har" name="max(dns, host == &quot;x&quot;)? &lt; 1ms" time="0">
              <skipped message="no exchange to measure"/>
            </testcase>
          </testsuite>
          <testsuite name="log in" tests="2" failures="0" errors="0" skipped="0" time="0">
            <testcase classname="log in" name="max(wait) &lt; 50ms" time="0"/>
            <testcase classname="log in" name="none(error)" time="0"/>
          </testsuite>
          <testsuite name="buy" tests="2" failures="1" errors="0" skipped="0" time="0">
            <testcase classname="buy" name="max(wait) &lt; 50ms" time="0">
              <failure type="tapeline.assert" message="measured 300ms over 4 exchanges: 250ms (500 %) too much">#3 GET http://shop.example/2 (wait 200ms)
        … and 1 more</failure>
            </testcase>
            <testcase classname="buy" name="none(error)" time="0"/>
          </testsuite>
          <testsuite name="page_5" tests="2" failures="1" errors="0" skipped="0" time="0">
            <testcase classname="page_5" name="max(wait) &lt; 50ms" time="0">
              <failure type="tapeline.assert" message="measured 300ms over 4 exchanges: 250ms (500 %) too much">#4 GET http://shop.example/3 (wait 300ms)</failure>
            </testcase>
            <testcase classname="page_5" name="none(error)" time="0"/>
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
    let report = AssertionReport(
      file: "a.har", results: [check.result], floor: AssertionFloor(found: 1, required: 1, isFiltered: false))
    let text = report.text(width: 80, palette: Palette(isColored: false)) + report.junit + report.githubAnnotations
    #expect(text.allSatisfy { line in !line.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" } })
    #expect(!report.githubAnnotations.contains { $0.hasPrefix("::error::") })
  }
}
