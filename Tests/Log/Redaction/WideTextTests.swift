import Testing

@testable import TapelineRedaction

struct WideTextTests {
  private func wide(_ text: String, _ stride: Int, _ lane: Int) -> [UInt8] {
    text.utf8.flatMap { byte in (0..<stride).map { $0 == lane ? byte : 0 } }
  }

  @Test(arguments: [(2, 0), (2, 1), (4, 0), (4, 3)])
  func secretsAreFound(stride: Int, lane: Int) throws {
    var redactor = Redactor(.standard, key: RedactionKey(1, 2))
    let text = wide(#"{"password":"hunter2","pin":1,"otp":123456}"#, stride, lane)
    let changed = redactor.redacted(text.span)
    let redacted = try #require(changed)
    let form = WideText(redacted.span)
    let found = try #require(form)
    #expect(found.stride == stride && found.lane == lane)
    let narrow = String(decoding: found.narrowed(redacted.span), as: UTF8.self)
    #expect(narrow.hasPrefix(#"{"password":"SENSITIVE_"#) && narrow.contains(#""otp":"SENSITIVE_"#) && narrow.hasSuffix("\"}"))
    #expect(redactor.count == 2)
  }

  @Test func otherTextIsNone() {
    #expect(WideText(Array("plain".utf8).span) == nil)
    #expect(WideText([UInt8](repeating: 0, count: 64).span) == nil)
    #expect(WideText([0, 1].span) == nil)
    #expect(WideText([1, 2, 0, 4, 5, 6, 7, 8].span) == nil)
  }
}
