import TapelineHAR
import Testing

@testable import TapelineRedaction

struct RedactionRulesTests {
  private func rules(_ lines: String...) throws(RedactionRulesError) -> RedactionRules {
    try RedactionRules(contentsOf: Array(lines.joined(separator: "\n").utf8))
  }

  private func redacted(_ text: String, _ rules: RedactionRules) -> String? {
    var redactor = Redactor(rules, key: RedactionKey(1, 2))
    return redactor.redacted(Array(text.utf8).span).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func nothingAddsNothing() throws {
    #expect(try rules("", "  # comment", "\r") == .standard)
  }

  @Test func aHeaderIsHidden() throws {
    var redactor = EntryRedactor(rules: try rules("header X-Customer"))
    var entry = HAREntry(
      startedDateTime: "", time: 0,
      request: HARRequest(
        method: "GET", url: "http://a/", httpVersion: "HTTP/1.1", headers: [HARHeader(name: "x-customer", value: "bob")]),
      response: HARResponse(status: 200, statusText: "", httpVersion: "HTTP/1.1", content: HARContent(size: 0, mimeType: "")),
      timings: HARTimings(send: 0, wait: 0, receive: 0))
    #expect(redactor.redact(&entry) == 1)
    #expect(entry.request.headers[0].value.hasPrefix("SENSITIVE_"))
  }

  @Test func aNameIsHidden() throws {
    let rules = try rules("# ours", "name customer*", "")
    #expect(redacted(#"{"customerNumber":"4111"}"#, rules)?.hasPrefix(#"{"customerNumber":"SENSITIVE_"#) == true)
    #expect(redacted(#"{"customerNumber":"4111"}"#, .standard) == nil)
  }

  @Test func aPatternIsHidden() throws {
    let rules = try rules(#"pattern ACME-[0-9]{4}"#, "pattern id=([a-z]+);")
    #expect(redacted("x ACME-1234 y ACME-12", rules)?.hasPrefix("x SENSITIVE_") == true)
    #expect(redacted("x ACME-1234 y ACME-12", rules)?.hasSuffix(" y ACME-12") == true)
    let group = try #require(redacted("aé id=bob;", rules))
    #expect(group.hasPrefix("aé id=SENSITIVE_") && group.hasSuffix(";"))
    #expect(redacted("nothing", rules) == nil)
  }

  @Test(arguments: [
    ("header", 1, RedactionRulesError.Kind.notAFieldName), ("\nheader a b", 2, .notAFieldName), ("header a:", 1, .notAFieldName),
    ("name", 1, .notAName), ("name **", 1, .notAName), ("pattern", 1, .emptyPattern), ("pattern a*", 1, .matchesNothing),
    ("#\n\nhide x", 3, .unknownRule("hide")),
  ])
  func aBadLineIsNamed(text: String, line: Int, kind: RedactionRulesError.Kind) {
    do throws(RedactionRulesError) {
      _ = try rules(text)
      Issue.record("\(text) was taken")
    } catch {
      #expect(error.line == line)
      #expect(error.kind == kind)
      #expect(error.description.hasPrefix("line \(line): "))
    }
  }

  @Test func aBadPatternSaysWhy() {
    do throws(RedactionRulesError) {
      _ = try rules("pattern (")
      Issue.record("it was taken")
    } catch {
      guard case .notAPattern(let reason) = error.kind else {
        Issue.record("\(error)")
        return
      }
      #expect(!reason.isEmpty)
    }
  }
}
