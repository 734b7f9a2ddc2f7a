import CVectors
import Testing

@Suite("Where strings and containers end")
struct ByteSearchTests {
  private typealias Search = (UnsafePointer<UInt8>?, Int) -> Int

  /// The definition: one byte after the other.
  private func end(of text: [UInt8], isString: Bool) -> Int {
    var (depth, inString, place) = (isString ? 0 : 1, isString, 0)
    while place < text.count {
      let byte = text[place]
      place += 1
      switch byte {
      case UInt8(ascii: "\\") where inString: place += 1
      case UInt8(ascii: "\""):
        inString.toggle()
        if isString { return place }
      case UInt8(ascii: "{") where !inString, UInt8(ascii: "[") where !inString: depth += 1
      case UInt8(ascii: "}") where !inString, UInt8(ascii: "]") where !inString:
        depth -= 1
        if depth == 0 { return place }
      default: break
      }
    }
    return 0
  }

  private func check(_ text: [UInt8]) {
    let (string, container) = (end(of: text, isString: true), end(of: text, isString: false))
    unsafe text.withUnsafeBufferPointer { bytes in
      #expect(unsafe byte_search_string_end(bytes.baseAddress, bytes.count) == string)
      #expect(unsafe byte_search_container_end(bytes.baseAddress, bytes.count) == container)
    }
  }

  @Test(
    "At every place of a block, and across two",
    arguments: ["\"", "}", "]", "\\\"\"", "\\\\\"", "\"}\"}", "\"\\\\\"}", "{]}", "[\"]\\\"}\"]]"])
  func everyPlace(ending: String) {
    for count in 0..<140 { check([UInt8](repeating: UInt8(ascii: "a"), count: count) + Array(ending.utf8)) }
  }

  @Test("Of a text that is cut, at every place")
  func everyCut() {
    let text = Array(
      #""a":[{"b":"}]\\\"\\"},["x","\\\\"],{}],"longer than a block, with an escaped \" in it":[1,2,{"c":null}]}"#.utf8)
    for count in 0...text.count { check(Array(text[..<count])) }
  }

  @Test("Of any bytes")
  func anyBytes() {
    var generator = SystemRandomNumberGenerator()
    let alphabet = Array("\\\"{}[]aa".utf8)
    for _ in 0..<5_000 {
      let density = Int.random(in: 1...20, using: &generator)
      check(
        (0..<Int.random(in: 0...300, using: &generator)).map { _ in
          Int.random(in: 0..<density, using: &generator) == 0 ? alphabet.randomElement(using: &generator) ?? 0 : 0x80
        })
    }
  }
}
