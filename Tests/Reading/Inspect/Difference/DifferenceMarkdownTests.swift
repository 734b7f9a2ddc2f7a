import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Difference as Markdown")
struct DifferenceMarkdownTests {
  @Test("The headline says what matters")
  func headline() throws {
    let difference = Comparison.difference
    let verdict = { (text: String) in try DifferenceLimit(text).judge(difference, naming: 3) }
    let first = { (verdicts: [LimitVerdict], difference: Difference) in
      DifferenceMarkdown(difference, verdicts: verdicts, limit: 3).lines[0]
    }
    #expect(
      first([], difference).hasPrefix("### Slower: GET http://shop.test/orders/{id} typically +116 % (95 % interval +111 % … "))
    #expect(first([], Difference(before: difference.before, after: difference.before)).hasPrefix("### No change"))
    #expect(first([try verdict("count +0")], difference) == "### ✅ All limits kept")
    #expect(first([try verdict("count +0"), try verdict("new errors")], difference) == "### ❌ 1 of 2 limits broken")
  }

  @Test("Tables and folded lists are whole")
  func structure() {
    let lines = DifferenceMarkdown(Comparison.difference, verdicts: [], limit: 1).lines
    let opened = lines.count { $0.hasPrefix("<details>") }
    #expect(opened == 7)
    #expect(lines.count { $0 == "</details>" } == opened)
    #expect(lines.contains("<details><summary>changed header fields (2)</summary>"))
    #expect(lines.contains("- … and 1 more"))
    #expect(lines.contains("- `GET http://shop.test/orders/{id}`: 200 → 503 ×3"))
    for line in lines where line.hasPrefix("| ") {
      #expect([3, 5].contains(line.count { $0 == "|" } - 1), "\(line)")
    }
  }

  @Test("What strangers wrote is no markup")
  func hostile() {
    let hostile = Comparison.profile("a`|.har", count: 3) { entry, _ in
      entry.request.url = "http://h/`</details><script>|[x](javascript:1)\n# a"
    }
    let plain = Comparison.profile("b.har", count: 3) { _, _ in }
    let lines = DifferenceMarkdown(Difference(before: plain, after: hostile), verdicts: [], limit: 3).lines
    #expect(lines.allSatisfy { !$0.contains("\n") })
    #expect(lines.contains { $0.hasPrefix("- `GET http://h/ˋ</details>") && $0.hasSuffix("`: 200 ×3") })
    #expect(lines.contains("| capture | `b.har` | `aˋ\\|.har` |"))
  }
}
