import Testing

@testable import TapelineHAR

struct JSONWriterBase64Tests {
  /// RFC 4648, section 10.
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
  ])
  func vectors(text: String, expected: String) {
    var writer = JSONWriter()
    writer.append(base64: Array(text.utf8).span)
    #expect(writer.text == "\"\(expected)\"")
  }

  @Test func everyValueOfSixBits() {
    var writer = JSONWriter()
    let bytes: [UInt8] = [
      0x00, 0x10, 0x83, 0x10, 0x51, 0x87, 0x20, 0x92, 0x8B, 0x30, 0xD3, 0x8F, 0x41, 0x14, 0x93, 0x51, 0x55, 0x97, 0x61, 0x96,
      0x9B,
      0x71, 0xD7, 0x9F, 0x82, 0x18, 0xA3, 0x92, 0x59, 0xA7, 0xA2, 0x9A, 0xAB, 0xB2, 0xDB, 0xAF, 0xC3, 0x1C, 0xB3, 0xD3, 0x5D,
      0xB7,
      0xE3, 0x9E, 0xBB, 0xF3, 0xDF, 0xBF,
    ]
    writer.append(base64: bytes.span)
    #expect(writer.text == "\"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/\"")
  }
}
