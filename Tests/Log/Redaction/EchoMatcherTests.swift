import Testing

@testable import TapelineRedaction

struct EchoMatcherTests {
  private func found(_ secrets: [String], in text: String) -> [String] {
    var matcher = EchoMatcher(capacity: secrets.count, multiplier: 0x9E37_79B9_7F4A_7C15)
    for (index, secret) in secrets.enumerated() { matcher.insert(Array(secret.utf8).span, echo: index) }
    let bytes = Array(text.utf8)
    var found: [String] = []
    var place = 0
    while let match = matcher.next(in: bytes.span, from: place) {
      found.append("\(match.echo):" + String(decoding: bytes[match.range], as: UTF8.self))
      place = match.range.upperBound
    }
    return found
  }

  @Test(arguments: [
    (["hunter2hunter2"], "a hunter2hunter2 b", ["0:hunter2hunter2"]), (["hunter2h"], "hunter2h", ["0:hunter2h"]),
    (["hunter2"], "hunter2", []), (["abcdefgh", "abcdefghi"], "abcdefghi abcdefgh", ["1:abcdefghi", "0:abcdefgh"]),
    (["abcdefgh1234567", "abcdefgh12345678z"], "abcdefgh12345678", ["0:abcdefgh1234567"]), (["abcdefgh"], "abcdefg", []),
    (["abcdefgh"], "", []), (["aaaaaaaab"], "aaaaaaaaaaaab", ["0:aaaaaaaab"]),
    (["12345678", "23456789"], "123456789", ["0:12345678"]),
  ])
  func theLongestIsFound(secrets: [String], text: String, expected: [String]) {
    #expect(found(secrets, in: text) == expected)
  }

  @Test("what begins like a long secret counts as far as it goes")
  func aLongBeginningCounts() {
    let secret = String((0..<200).map { Character(Unicode.Scalar(UInt8(33 + $0 % 90))) })
    #expect(found([secret], in: String(secret.prefix(100)) + "~~~~") == ["0:" + secret.prefix(96)])
    #expect(found([secret], in: String(secret.prefix(60)) + "~~~~").isEmpty)
  }

  /// As a search that is slow and simple finds them: with a table of beginnings, and with more of them than it holds.
  @Test(arguments: [1, 3, 20, 300], ["abc1", "abcdefghijklmnopqrstuvwxyz0123456789+/=%"])
  func manyAreFound(count: Int, alphabet: String) {
    var random = SystemRandomNumberGenerator()
    let letters = Array(alphabet.utf8)
    func word(_ sizes: ClosedRange<Int>) -> [UInt8] {
      (0..<Int.random(in: sizes, using: &random)).map { _ in letters[Int.random(in: 0..<letters.count, using: &random)] }
    }
    let secrets = (0..<count).map { _ in word(8...20) }
    var matcher = EchoMatcher(capacity: secrets.count, multiplier: random.next())
    for (index, secret) in secrets.enumerated() { matcher.insert(secret.span, echo: index) }
    for _ in 0..<200 {
      let text = word(10...80) + (secrets.randomElement() ?? []) + word(0...40)
      let simple = text.indices.first { start in secrets.contains { text[start...].starts(with: $0) } }
      #expect(matcher.next(in: text.span, from: 0)?.range.lowerBound == simple)
    }
  }
}
