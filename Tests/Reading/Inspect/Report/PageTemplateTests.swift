import Testing

@testable import TapelineInspect

@Suite("Template of a page")
struct PageTemplateTests {
  private static func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self)
  }

  @Test("Places are filled; what is filled in is not looked into")
  func filling() {
    let template = PageTemplate(Array("<a>{{one}}</a>{{data}}<b>{{two}}{{one}}</b>}} {{".utf8))
    #expect(Self.text(template.text(upTo: "data") { Array("[\($0)]{{data}}".utf8) }) == "<a>[one]{{data}}</a>")
    #expect(Self.text(template.text(after: "data") { Array($0.uppercased().utf8) }) == "<b>TWOONE</b>}} {{")
  }

  @Test("A template without the place is a mistake of ours")
  func missing() async {
    await #expect(processExitsWith: .failure) {
      _ = PageTemplate([]).text(after: "data") { _ in [] }
    }
  }
}
