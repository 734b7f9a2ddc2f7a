import Testing

@testable import TapelineInspect

@Suite("Shell quoting")
struct ShellQuotingTests {
  @Test(
    "A text becomes one word",
    arguments: [
      ("plain-word_1.0", "plain-word_1.0"),
      ("http://h:80/a,b%20+c@d", "http://h:80/a,b%20+c@d"),
      ("", "''"),
      ("a b", "'a b'"),
      ("$HOME `id` \"x\" \\", "'$HOME `id` \"x\" \\'"),
      ("it's", #"'it'\''s'"#),
      ("'", #"''\'''"#),
      ("a\nb\tc", "'a\nb\tc'"),
      ("?a=1&b=2", "'?a=1&b=2'"),
      ("grüße", "'grüße'"),
      ("a\u{1B}[31m", #"$'a\x1b[31m'"#),
      ("it's\r\n\\", #"$'it\'s\r\n\\'"#),
      ("\u{9B}", #"$'\xc2\x9b'"#),
    ])
  func quoting(text: String, word: String) {
    #expect(text.shellQuoted == word)
  }
}
