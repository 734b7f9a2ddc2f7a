import Testing

@testable import TapelineRedaction

struct RedactorTests {
  private func redacted(_ text: String, _ change: (inout Redactor, Span<UInt8>, inout [UInt8]) -> Void) -> String {
    var redactor = Redactor(.standard, key: RedactionKey(1, 2))
    var output: [UInt8] = []
    change(&redactor, Array(text.utf8).span, &output)
    // Tokens are numbered in the order in which secrets first come, so that equal ones can be seen.
    var text = String(decoding: output, as: UTF8.self)
    var number = 0
    while let range = text.firstRange(of: "SENSITIVE_") {
      let end = text.index(range.upperBound, offsetBy: 16)
      number += 1
      text = text.replacing(text[range.lowerBound..<end], with: "<\(number)>")
    }
    return text
  }

  @Test(arguments: [
    ("Bearer abc", "Bearer <1>"), ("Basic a b", "Basic <1>"), ("abc", "<1>"), ("hunter2 x", "<1>"), ("", ""),
    ("Bearer ", "Bearer "),
  ])
  func credentials(text: String, expected: String) {
    #expect(redacted(text) { $0.appendCredentials($1, to: &$2) } == expected)
  }

  @Test(arguments: [
    ("a=1; b=2; c=1", "a=<1>; b=<2>; c=<1>"), ("a=; b", "a=; <1>"), (" a = 1 ;b=2", " a = <1>;b=<2>"), ("", ""), (";", ";"),
  ])
  func cookies(text: String, expected: String) {
    #expect(redacted(text) { $0.appendCookies($1, to: &$2) } == expected)
  }

  @Test(arguments: [("a=1; Path=/; Secure", "a=<1>; Path=/; Secure"), ("a=1", "a=<1>"), ("x; Path=/", "<1>; Path=/")])
  func setCookie(text: String, expected: String) {
    #expect(redacted(text) { $0.appendSetCookie($1, to: &$2) } == expected)
  }

  @Test(arguments: [
    ("http://a/b?token=1&x=2&API-Key=1#access_token=3", "http://a/b?token=<1>&x=2&API-Key=<1>#access_token=<2>"),
    ("http://u:p@a/@b", "http://<1>@a/@b"), ("//u@a?q=1", "//<1>@a?q=1"), ("/a//b@c", "/a//b@c"), ("?password", "?password"),
    ("/a?x=y&&sig=", "/a?x=y&&sig="), ("http://a/?q=http://u:p@b/", "http://a/?q=http://u:p@b/"),
    ("/?access%5Ftoken=1", "/?access%5Ftoken=<1>"),
    ("/?data=%7B%22token%22%3A%22x%20y%22%7D", "/?data=%7B%22token%22%3A%22<1>%22%7D"),
    ("/?next=%2Fa%3Ftoken%3Dx%26b%3Dc", "/?next=%2Fa%3Ftoken%3D<1>%26b%3Dc"), ("/?next=%2Fa%3Fb%3Dc", "/?next=%2Fa%3Fb%3Dc"),
  ])
  func urls(text: String, expected: String) {
    #expect(redacted(text) { $0.appendURL($1, to: &$2) } == expected)
  }

  /// The quotes for the shell are no part of the program that an argument is, and those around a token still end.
  @Test(arguments: [
    (
      #"python3 -c 'get(u, cookies={'\''session'\'': '\''a b'\''})'"#,
      #"python3 -c 'get(u, cookies={'\''session'\'': '\''<1>'\''})'"#
    ),
    (
      #"node -e '{'\''token'\'': '\''a'\'', "token": "a", '\''x'\'':1}'"#,
      #"node -e '{'\''token'\'': '\''<1>'\'', "token": "<1>", '\''x'\'':1}'"#
    ),
    (#"sh -c "echo {\"token\":\"a\"}""#, #"sh -c "echo {\"token\":\"<1>\"}""#),
    (#"t $'{\'token\':\'a\'}' b"#, #"t $'{\'token\':\'<1>\'}' b"#),
    (#"t '{'\''otp'\'': 123456}'"#, #"t '{'\''otp'\'': <1>}'"#),
    (#"t '{"token":"it'\''s'\''"}' b"#, #"t '{"token":"<1>"}' b"#),
    (#"t {\'token\':\'a' b'\'}"#, #"t {\'token\':\'<1>''\'}"#),
    (#"t 'it'\''s'"#, #"t 'it'\''s'"#), ("It's a token's page", "It's a token's page"),
    (#"curl --data '{'\''token'\'':'\''a"#, #"curl --data '{'\''token'\'':'\''<1>"#),
  ])
  func commandLines(text: String, expected: String) {
    #expect(redacted(text) { $2 += $0.redacted($1, style: .commandLine) ?? Array(text.utf8) } == expected)
  }

  @Test func keysDecideTheTokens() {
    var outputs: [[UInt8]] = [[], [], []]
    var first = Redactor(.standard, key: RedactionKey(1, 2))
    var second = Redactor(.standard, key: RedactionKey(3, 4))
    first.appendToken(of: [1, 2].span, to: &outputs[0])
    first.appendToken(of: [1, 2].span, to: &outputs[1])
    second.appendToken(of: [1, 2].span, to: &outputs[2])
    #expect(outputs[0] == outputs[1])
    #expect(outputs[0] != outputs[2])
    #expect(outputs[0].count == "SENSITIVE_".utf8.count + 16)
  }
}
