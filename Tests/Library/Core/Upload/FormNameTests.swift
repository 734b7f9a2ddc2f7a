import Testing

@testable import TapelineCore

@Suite struct FormNameTests {
  @Test(
    "Line ends in field names become CRLF; line ends in file names stay",
    arguments: [
      ("\n", "%0D%0A", "%0A"), ("\r", "%0D%0A", "%0D"), ("\r\n", "%0D%0A", "%0D%0A"), ("\n\r", "%0D%0A%0D%0A", "%0A%0D"),
      ("\r\r\n", "%0D%0A%0D%0A", "%0D%0D%0A"), ("\"", "%22", "%22"), ("\\", "\\", "\\"), ("é ", "é ", "é "),
    ])
  func escaping(name: String, field: String, file: String) {
    #expect(FormName.escaped(name, normalizesLineEnds: true) == field)
    #expect(FormName.escaped(name, normalizesLineEnds: false) == file)
  }
}
