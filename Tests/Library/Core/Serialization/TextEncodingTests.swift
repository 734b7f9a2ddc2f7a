import FoundationEssentials
import TapelineCore
import Testing

@Suite struct TextEncodingTests {
  @Test(
    "Some encodings are always available",
    arguments: [
      ("utf-8", [0xC3, 0xA4], "ä"), ("UTF8", [0xEF, 0xBB, 0xBF, 0x61], "a"), ("us-ascii", [0x61], "a"),
      ("iso-8859-1", [0x80, 0xE4, 0xFF], "\u{80}äÿ"), ("latin1", [0xE4], "ä"),
      ("windows-1252", [0x80, 0x93, 0xE4, 0x9F, 0x81], "€“äŸ\u{81}"),
      ("utf-16", [0x61, 0], "a"), ("utf-16", [0xFE, 0xFF, 0, 0x61], "a"), ("utf-16", [0xFF, 0xFE, 0x61, 0], "a"),
      ("utf-16be", [0, 0x61, 0xD8, 0x3D, 0xDE, 0], "a\u{1F600}"), ("utf-16le", [0x3D, 0xD8, 0, 0xDE], "\u{1F600}"),
      ("utf-32", [0, 0, 0xFE, 0xFF, 0, 1, 0xF6, 0], "\u{1F600}"), ("utf-32le", [0, 0xF6, 1, 0], "\u{1F600}"), ("utf-8", [], ""),
    ] as [(String, [UInt8], String)])
  func decoding(name: String, bytes: [UInt8], text: String) throws {
    #expect(try #require(TextEncoding(name: name)).decode(Data(bytes)) == text)
  }

  @Test(
    "The system's encodings are available",
    arguments: [
      ("iso-8859-15", [0xA4], "€"), ("ISO-8859-2", [0xB1], "ą"), ("koi8-r", [0xC1], "а"), ("windows-1251", [0xE0], "а"),
      ("shift_jis", [0x93, 0xFA, 0x41], "日A"),
    ] as [(String, [UInt8], String)])
  func decodingByTheSystem(name: String, bytes: [UInt8], text: String) throws {
    #expect(try #require(TextEncoding(name: name)).decode(Data(bytes)) == text)
  }

  @Test(
    "Bytes that are not text in their encoding fail",
    arguments: [
      ("utf-8", [0xFF]), ("utf-8", [0xC3]), ("us-ascii", [0x80]), ("utf-16", [0x61]), ("utf-16le", [0, 0xD8]),
      ("utf-32", [0, 0, 0x11, 0]), ("euc-jp", [0xA4]),
    ] as [(String, [UInt8])])
  func invalid(name: String, bytes: [UInt8]) throws {
    #expect(try #require(TextEncoding(name: name)).decode(Data(bytes)) == nil)
  }

  @Test(arguments: ["", "no-such-charset", "utf-8//TRANSLIT", "//IGNORE", "a b", "ü", "a\0b"])
  func unknown(name: String) {
    #expect(TextEncoding(name: name) == nil)
  }

  @Test func aSliceIsDecodedFromItsBeginning() {
    let data = Data([1, 2, 0xEF, 0xBB, 0xBF, 0x61]).dropFirst(2)
    #expect(TextEncoding.utf8.decode(data) == "a")
    #expect(TextEncoding.utf16BigEndian.decode(Data([9, 0, 0x61]).dropFirst()) == "a")
    #expect(TextEncoding.utf8.description == "utf-8")
  }
}
