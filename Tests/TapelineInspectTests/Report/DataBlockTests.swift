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

  @Test("No text of a capture can end the block or begin another element", arguments: ["</script>", "<!--<script>", "<", "a<<b"])
  func inert(text: String) throws {
    let block = Self.block([.string(text), ["<name>": 1]])
    let opening = #"<script type="application/json" id="x-1">"#
    try #require(block.hasPrefix(opening) && block.hasSuffix("</script>\n"))
    let json = block.dropFirst(opening.count).dropLast("</script>\n".count)
    #expect(!json.contains("<"))
    #expect(try HARValue(json: Array(json.utf8).span) == [.string(text), ["<name>": 1]])
  }

  @Test("What needs no escape stays as it is")
  func plain() {
    #expect(Self.block(["a", "é", 15]).contains(#">["a","é",15]<"#))
  }
}
