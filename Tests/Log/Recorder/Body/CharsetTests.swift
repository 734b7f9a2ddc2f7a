import Testing

@testable import TapelineRecorder

struct CharsetTests {
  private let transcoder = TextTranscoder()

  private func transcode(_ bytes: [UInt8], _ label: String, isTruncated: Bool = false) -> String? {
    guard case .legacy(let charset) = charset(label) else { return nil }
    return transcoder.transcode(bytes.span, from: charset, isTruncated: isTruncated).map { String(decoding: $0, as: UTF8.self) }
  }

  private func charset(_ label: String) -> Charset? {
    Charset(label: Array(label.utf8).span)
  }

  @Test(
    arguments: [
      ("ISO-8859-1", [0xE9, 0x80], "é€"), ("latin1", [0x81], "\u{81}"), ("windows-1252", [0x93], "“"),
      ("iso-8859-2", [0xB1], "ą"),
      ("iso-8859-5", [0xD0], "а"), ("iso-8859-7", [0xE1], "α"), ("iso-8859-9", [0xFD], "ı"), ("iso-8859-15", [0xA4], "€"),
      ("windows-1250", [0x9C], "ś"), ("windows-1251", [0xE0], "а"), ("windows-1253", [0xE1], "α"), ("windows-1254", [0xFD], "ı"),
      ("windows-1255", [0xE0], "א"), ("windows-1256", [0xC7], "ا"), ("windows-1257", [0xE0], "ą"), ("windows-1258", [0xD0], "Đ"),
      ("koi8-r", [0xC1], "а"), ("koi8-u", [0xA4], "є"), ("shift_jis", [0x83, 0x65], "テ"), ("euc-jp", [0xC6, 0xFC], "日"),
      ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42], "日"), ("gb18030", [0x81, 0x30, 0x81, 0x30], "\u{80}"),
      ("gbk", [0xC4, 0xE3], "你"), ("gb2312", [0xC4, 0xE3], "你"), ("big5", [0xA7, 0x41], "你"), ("euc-kr", [0xB0, 0xA1], "가"),
      ("utf-16", [0x61, 0x00], "a"), ("utf-16be", [0xD8, 0x3D, 0xDE, 0x00], "😀"), ("ibm866", [0xA0], "а"),
      ("tis-620", [0xA1], "ก"),
      ("macintosh", [0x8E], "é"),
    ] as [(String, [UInt8], String)])
  func whatBrowsersUnderstand(label: String, bytes: [UInt8], text: String) {
    #expect(transcode(bytes, label) == text)
  }

  @Test func labelsInEitherCase() {
    #expect(charset("UTF-8") == .utf8)
    #expect(charset("utf8") == .utf8)
    #expect(charset("no-such") == nil)
    #expect(charset(String(repeating: "a", count: 500)) == nil)
  }

  @Test func whatIsNoneIsRefused() {
    #expect(transcode([0x83], "shift_jis") == nil)
    #expect(transcode([0xFF, 0xFF, 0xFF], "euc-jp") == nil)
    #expect(transcode([0x61, 0x83], "shift_jis", isTruncated: true) == "a")
    #expect(transcode([], "koi8-r") == "")
  }

  @Test func muchText() {
    let bytes = [UInt8](repeating: 0xE9, count: 100_000)
    #expect(transcode(bytes, "latin1") == String(repeating: "é", count: 100_000))
  }
}

struct CharsetSnifferTests {
  @Test(arguments: [
    "<meta charset=koi8-r>", "<META http-equiv='x' content='text/html; charset=\"KOI8-R\"'>",
    "<?xml version='1.0' encoding='koi8-r'?>",
    "@charset \"koi8-r\";",
  ])
  func declarations(text: String) {
    let found = CharsetSniffer.declaration(in: Array(text.utf8).span)
    let expected = Charset(label: Array("koi8-r".utf8).span)
    #expect(found == expected)
  }

  @Test(arguments: ["", "charset", "charsetkoi8-r", "<p>encoding=</p>", String(repeating: " ", count: 1_100) + "charset=koi8-r"])
  func noDeclaration(text: String) {
    let found = CharsetSniffer.declaration(in: Array(text.utf8).span)
    #expect(found == nil)
  }

  @Test func marks() {
    func mark(_ bytes: [UInt8]) -> Charset? { CharsetSniffer.byteOrderMark(of: bytes.span)?.charset }
    #expect(mark([0xFF, 0xFE]) == .utf16LittleEndian)
    #expect(mark([0xFE, 0xFF]) == .utf16BigEndian)
    #expect(mark([0xFE]) == nil)
  }
}
