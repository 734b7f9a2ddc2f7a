import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Blocks of data")
struct DataBlockTests {
  private static func block(_ value: HARValue) -> String {
    var json = JSONWriter()
    json.append(value: value)
    var text = JSONWriter()
    text.append(dataBlock: "x-1", json)
    return String(decoding: text.bytes, as: UTF8.self)
  }

  @Test(
    "No text of a capture can end the block or begin another script",
    arguments: ["</script>", "</SCRIPT >", "<!--<script>", "<!--<Script", "<", "a<<b", "<</script", "</", "<s", "<p>a</p>"])
  func inert(text: String) throws {
    let block = Self.block([.string(text), ["<name>": 1]])
    let opening = #"<script type="application/json" id="x-1">"#
    try #require(block.hasPrefix(opening) && block.hasSuffix("</script>\n"))
    let json = block.dropFirst(opening.count).dropLast("</script>\n".count)
    for beginning in ["<!--", "<script", "</script"] { #expect(!json.lowercased().contains(beginning)) }
    #expect(try HARValue(json: Array(json.utf8).span) == [.string(text), ["<name>": 1]])
  }

  @Test("What needs no escape stays as it is")
  func plain() {
    #expect(Self.block(["a", "é", 15, "<p>1 < 2</p>"]).contains(#">["a","é",15,"<p>1 < 2</p>"]<"#))
  }
}
