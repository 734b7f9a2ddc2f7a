import TapelineDigest
import TapelineHAR
import TapelineBase
import Testing

@testable import TapelineInspect

@Suite("Page of a report")
struct ReportPageTests {
  private static let opening = String(decoding: ReportPage.opening(title: "a <b> & c"), as: UTF8.self)
  private static let closing = String(decoding: ReportPage.closing, as: UTF8.self)
  private static let live = String(decoding: LiveReport(title: "a <b>", version: "1").page, as: UTF8.self)

  /// What stands between the only `opening` and the next `closing`.
  private static func content(of text: String, _ opening: String, _ closing: String) throws -> String {
    let parts = text.split(separator: opening, omittingEmptySubsequences: false)
    try #require(parts.count == 2)
    return String(try #require(parts[1].split(separator: closing, omittingEmptySubsequences: false).first))
  }

  @Test("The policy names the script and the style by what they hold, and allows nothing else")
  func policy() throws {
    let script = try Self.content(of: Self.closing, #"<script type="module">"#, "</script>")
    let style = try Self.content(of: Self.opening, "<style>", "</style>")
    let policy = try Self.content(of: Self.opening, #"Content-Security-Policy" content=""#, "\"")
    func source(_ text: String) -> String {
      "'sha256-" + Base64.encode(MessageDigest.sha256.digest(of: Array(text.utf8).span)) + "'"
    }
    #expect(
      policy == "default-src 'none'; script-src \(source(script)); style-src \(source(style)); img-src data:; "
        + "base-uri 'none'; form-action 'none'")
  }

  @Test("The title is text")
  func title() {
    #expect(Self.opening.contains("<title>a &lt;b&gt; &amp; c</title>") && !Self.opening.contains("a <b>"))
  }

  @Test("Every place is filled, and nothing is asked of a network")
  func whole() {
    for part in [Self.opening, Self.closing] {
      #expect(!part.contains("{{"))
      #expect(!part.contains("src=\"") && !part.contains("url(") && !part.contains("@import") && !part.contains("fetch("))
    }
  }

  @Test("Text of a capture never becomes markup or code: the script has no means to do so")
  func means() {
    for means in [
      "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "srcdoc", "DOMParser",
    ] {
      #expect(!Self.closing.contains(means) && !Self.live.contains(means), "\(means)")
    }
  }

  @Test("The scripts come without their comments, and whole")
  func comments() throws {
    let script = try Self.content(of: Self.closing, #"<script type="module">"#, "</script>")
    let lines = script.split(separator: "\n", omittingEmptySubsequences: false).map { $0.drop { $0 == " " } }
    #expect(!lines.contains { $0.hasPrefix("//") || $0.hasPrefix("/*") || $0.hasPrefix("* ") || $0.hasPrefix("*/") })
    #expect(script.contains("function durationText(") && script.contains("https://"), "code, and slashes in it, remain")
  }

  @Test("The live page has the report's style and script, and may ask where it came from")
  func livePage() throws {
    let script = try Self.content(of: Self.live, #"<script type="module">"#, "</script>")
    let own = try Self.content(of: Self.closing, #"<script type="module">"#, "</script>")
    let begin = try #require(own.firstRange(of: "capture.load();\n"))
    #expect(script.hasPrefix(own[..<begin.lowerBound]) && script.hasSuffix(own[begin.lowerBound...]))
    let policy = try Self.content(of: Self.live, #"Content-Security-Policy" content=""#, "\"")
    let source = "'sha256-" + Base64.encode(MessageDigest.sha256.digest(of: Array(script.utf8).span)) + "'"
    #expect(policy.contains("default-src 'none'; script-src \(source); ") && policy.hasSuffix("; connect-src 'self'"))
    #expect(Self.live.contains("<title>a &lt;b&gt;</title>") && !Self.live.contains("{{"))
    #expect(!Self.live.contains("src=\"") && !Self.live.contains("url(") && !Self.live.contains("@import"))
  }
}
