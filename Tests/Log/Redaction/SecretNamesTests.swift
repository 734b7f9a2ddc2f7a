import Testing

@testable import TapelineRedaction

struct SecretNamesTests {
  @Test(arguments: [
    "token", "TOKEN", "access_token", "accessToken", "Api-Key", "api.key", "X-Amz-Signature", "password[]", "sid", "X-CSRF-Token",
    "db_password", "userPassword", "client_secret", "PHPSESSID", "sessionId", "X-Amz-Security-Token", "secret_access_key",
    "password2", "password_confirmation",
  ])
  func secrets(name: String) {
    let isSecret = SecretNames.standard.contains(Array(name.utf8).span)
    #expect(isSecret)
  }

  @Test(arguments: ["", "q", "tokens", "id", "page", "tokenize", "passwordless", "max_tokens", "passed", "author", "inside"])
  func others(name: String) {
    let isSecret = SecretNames.standard.contains(Array(name.utf8).span)
    #expect(!isSecret)
  }

  @Test func globsAdd() {
    var names = SecretNames.standard
    names.insert(glob: Array("Card-*Number".utf8).span)
    let found = ["card_number", "cardSerialNumber", "cardNumbers"].map { names.contains(Array($0.utf8).span) }
    #expect(found == [true, true, false])
  }

  @Test(arguments: [
    ("", "", true), ("*", "abc", true), ("a*c", "abc", true), ("a*c", "ab", false), ("*b*", "abc", true), ("a**b", "ab", true),
    ("a*b*c", "aXbYbZc", true), ("abc", "abcd", false),
  ])
  func globs(pattern: String, text: String, matches: Bool) {
    let found = Glob(Array(pattern.utf8)).matches(Array(text.utf8).span)
    #expect(found == matches)
  }
}
