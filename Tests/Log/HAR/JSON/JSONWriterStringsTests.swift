import TapelineBase
import Testing

@testable import TapelineHAR

struct JSONWriterStringsTests {
  /// The rule of RFC 8259, section 7, one byte at a time.
  private func reference(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\u{8}": result += "\\b"
      case "\t": result += "\\t"
      case "\n": result += "\\n"
      case "\u{C}": result += "\\f"
      case "\r": result += "\\r"
      case _ where scalar.value < 0x10: result += "\\u000" + String(scalar.value, radix: 16)
      case _ where scalar.value < 0x20: result += "\\u00" + String(scalar.value, radix: 16)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  @Test func everyByteAtEveryPlaceOfAWord() {
    for byte in UInt8(0)..<0x80 {
      for before in 0..<18 {
        let text = String(repeating: "a", count: before) + String(UnicodeScalar(byte)) + "bcdefghijk"
        var writer = JSONWriter()
        writer.append(string: text)
        #expect(writer.text == reference(text))
      }
    }
  }

  @Test func randomTextOfEveryKind() {
    var random = SeededGenerator(seed: 1)
    let alphabet: [UnicodeScalar] = [
      "a", "Z", " ", "\"", "\\", "\n", "\u{0}", "\u{1F}", "\u{7F}", "é", "日", "\u{FFFD}", "😀", "\u{10FFFF}",
    ]
    for length in 0..<400 {
      var text = ""
      for _ in 0..<length { text.unicodeScalars.append(alphabet[Int.random(in: 0..<alphabet.count, using: &random)]) }
      var writer = JSONWriter(capacity: 64)
      writer.append(string: text)
      #expect(writer.text == reference(text))
    }
  }

  @Test(arguments: ["\"", "\n", "\u{1F}", "é", "😀"])
  func oneByteThatIsNotPlainAtEveryPlace(special: String) {
    for length in 0..<80 {
      for place in 0...length {
        let text = String(repeating: "a", count: place) + special + String(repeating: "b", count: length - place)
        var writer = JSONWriter(capacity: 64)
        writer.append(string: text)
        #expect(writer.text == reference(text))
      }
    }
  }

  @Test func longTextCrossesSlices() {
    let text = String(repeating: "0123456789\n", count: 3_000) + "é"
    var writer = JSONWriter(capacity: 64)
    writer.append(string: text)
    #expect(writer.text == reference(text))
  }

  @Test func refusesExactlyWhatIsNoUTF8() {
    var random = SeededGenerator(seed: 2)
    let bytes: [UInt8] = [
      0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xED, 0xEF, 0xF0, 0xF4, 0xF5, 0xFF,
    ]
    for _ in 0..<20_000 {
      let count = Int.random(in: 0...6, using: &random)
      let input = (0..<count).map { _ in bytes[Int.random(in: 0..<bytes.count, using: &random)] }
      var writer = JSONWriter()
      writer.append(byte: UInt8(ascii: "["))
      let isWritten = writer.append(utf8: input.span)
      let text = String(validating: input, as: UTF8.self)
      #expect(isWritten == (text != nil), "\(input)")
      #expect(writer.text == "[" + (text.map(reference) ?? ""))
    }
  }

  @Test func latin1LosesNoByte() throws {
    let all = (0...255).map { UInt8($0) }
    var writer = JSONWriter()
    writer.append(latin1: all.span)
    let text = try #require(try HARValue(json: writer.bytes.span).string)
    #expect(text.unicodeScalars.map { $0.value } == (0...255).map { UInt32($0) })
  }

  @Test func textIsUTF8OrElseLatin1() {
    var writer = JSONWriter()
    writer.append(text: Array("é".utf8).span)
    writer.append(text: [0xE9].span)
    #expect(writer.text == "\"é\"\"é\"")
  }
}
