import TapelineTestSupport
import Testing

@testable import TapelineInspect

@Suite("Shell quoting")
struct ShellQuotingTests {
  @Test(
    "A text becomes one word",
    arguments: [
      ("plain-word_1.0", "plain-word_1.0"),
      ("http://h:80/a,b%20+c@d", "http://h:80/a,b%20+c@d"),
      ("%self", "'%self'"),
      ("", "''"),
      ("a b", "'a b'"),
      ("$HOME `id` \"x\" \\", #"'$HOME `id` "x" '\\"#),
      ("it's", #"'it'\''s'"#),
      ("'", #"\'"#),
      ("a\nb\tc", "'a\nb\tc'"),
      ("a!\nb!", #"'a'"$(printf '\041')"'"# + "\nb" + #"'"$(printf '\041')""#),
      ("?a=1&b=2!", "'?a=1&b=2!'"),
      ("grüße", "'grüße'"),
      ("a\u{1B}[31m", #"'a'"$(printf '\033')"'[31m'"#),
      ("it's\r\n\\", #"'it'\''s'"$(printf '\015')"'"# + "\n" + #"'\\"#),
      ("\u{9B}\u{202E}", #""$(printf '\302\233\342\200\256')""#),
      ("a\0b", "'ab'"),
    ])
  func quoting(text: String, word: String) {
    #expect(text.shellQuoted == word)
  }

  /// What means something to any shell, alone and beside what else could change its meaning.
  private static let hostile = [
    "'", "''", "\\", "\\'", "'\\''", "\\\\", "a\\", "\"", "\\\"", "`touch ran`", "$(touch ran)", "${HOME}", "$HOME", "!", "!!",
    "a!touch",
    "a\n!touch ran", "\n", "\n\n", "a\n", "\n'\n", "\t", "\r", "\r\n", "\u{1}", "\u{1B}]0;x\u{7}", "\u{7F}", "\u{85}",
    "\u{9B}31m",
    "\u{202E}x\u{2069}", "\u{61C}", "%", "%self", "%s%n", "~", "~root", "*", "?", "[a]", "{a,b}", "=ls", "^x", "#x", "a #x",
    ";touch ran",
    "|touch ran", "&touch ran", ">ran", "<(touch ran)", "(touch ran)", "$'x'", "$\"x\"", "-", "-n", "--", "@x", " ", "  a  ",
    "\u{F601}",
    String(decoding: [0xEF, 0xB7, 0x90], as: UTF8.self), String(decoding: [0xEF, 0xBF, 0xBF], as: UTF8.self), "é", "😀", "\\n",
    "\\x41", "\\101", "\\c", "1>&2", "a\u{1}\n", "\u{1}'\u{1}", "'\u{1}\\", "!\u{1}\n!",
  ]

  @Test(
    "dash, bash, zsh and fish take the word for the text",
    arguments: [["dash"], ["bash", "--norc"], ["zsh", "-f"], ["fish", "--no-config"]])
  func shells(shell: [String]) throws {
    let directory = try TemporaryDirectory()
    let texts = Self.hostile + Self.hostile.map { "a\($0)b" } + zip(Self.hostile, Self.hostile.reversed()).map { $0 + $1 }
    // `env` is a program in each of them, and says what it is given byte for byte.
    var script = shell[0] == "bash" ? "set -o history -o histexpand\n" : ""
    for text in texts { script += "env -i printf '%s\\0' \(text.shellQuoted)\n" }
    let path = try directory.write(script, to: "script")
    for locale in ["C", "C.UTF-8"] {
      let process = try TestProcess(
        "env", ["-C", try directory.makeDirectory("work-\(locale)")] + shell + [path], environment: ["LC_ALL": locale])
      try process.wait()
      let words = process.standardOutput.split(separator: 0, omittingEmptySubsequences: false).dropLast()
      #expect(words.map { String(decoding: $0, as: UTF8.self) } == texts, "\(process.errorText)")
      #expect(!fileExists(directory.path("work-\(locale)/ran")))
    }
  }
}
