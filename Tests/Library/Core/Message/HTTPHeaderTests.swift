import Testing

@testable import TapelineCore

@Suite struct HTTPHeaderTests {
  @Test("A header is a name and a value")
  func description() {
    #expect(HTTPHeader(name: "X-A", value: "1").description == "X-A: 1")
    #expect(HTTPHeader(name: "X-A", value: "1") != HTTPHeader(name: "x-a", value: "1"))
  }

  @Test(arguments: [
    ("X-A", "plain", true), ("X-A", "tab\tinside", true), ("X-A", "", true), ("X-A", "caf\u{E9}", true), ("", "1", false),
    ("X A", "1", false), ("X-A:", "1", false), ("X-A", "a\r\nHost: b", false), ("X-A", "a\nb", false), ("X-A", "a\rb", false),
    ("X-A", "a\0b", false), ("X-A", "a\u{7F}", false), ("X-A\r\n", "1", false), ("X-\u{C4}", "1", false),
  ])
  func whatMayBeSent(name: String, value: String, isSendable: Bool) {
    #expect(HTTPHeader(name: name, value: value).isSendable == isSendable)
  }
}
