import TapelineBase
import Testing

@testable import TapelineRedaction

/// Each form of a key, after each escape and separator, at each place.
struct TokenFormTests {
  private static let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

  /// A token, and the part of it that must go.
  private struct Token {
    let text: String
    let secret: String
  }

  private static let tokens: [Token] = {
    var noise = SeededGenerator(seed: 1)
    let own = TokenForm.all.map { form in
      let count = min(form.length.lowerBound + 4, form.length.upperBound)
      let letters =
        switch form.alphabet {
        case .alphanumeric, .word, .dotted, .base64: Self.letters
        case .capitals: "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
        case .hexadecimal: "0123456789abcdef"
        }
      var content = noise.text(count, of: letters)
      if form.check == .mixed { content = "aZ9" + content.dropFirst(3) }
      return Token(text: "\(form.prefix)\(content)", secret: String(content.dropFirst(2)))
    }
    let signature = noise.text(20, of: letters)
    return own + [
      Token(text: "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.\(signature)", secret: signature),
      Token(text: "Bearer a1\(signature)", secret: signature), Token(text: "Basic Ym9iOmh1bnRlcjI3NzQ=", secret: "Ym9iOmh1bnRl"),
    ]
  }()

  private static let escapes = [
    #"\t"#, #"\b"#, #"\f"#, #"\n"#, #"\r"#, #"\u003d"#, #"\u000a"#, #"\u0022"#, "%2F", "%3D", "%22", "%0A", "%26", "%5B", "%20",
    "%2522", "%252F", "=3D", "=20", #"\x0a"#, #"\012"#, "\u{1B}[31m", #"\u001b[0m"#, "&quot;", #"\/"#,
  ]
  private static let separators = [
    "", " ", "=", ":", "\"", "'", "/", ",", ";", "(", "[", "{", "<", ">", "\t", "\n", "@", "|", "+", "*", "~", "`", "#", "?", "&",
  ]

  @Test("the table has 150 rows at least, and each says who says so")
  func table() {
    #expect(TokenForm.all.count >= 150)
    #expect(Set(TokenForm.all.map { "\($0.prefix)" }).count == TokenForm.all.count)
    #expect(TokenForm.all.allSatisfy { "\($0.source)".count > 2 })
  }

  @Test("each form is found after each escape and separator, in a text, in JSON and in a path")
  func everywhere() {
    for token in Self.tokens {
      for before in Self.escapes + Self.separators {
        for text in ["\(before)\(token.text)", "a b\(before)\(token.text) c", #"{"note":"x\#(before)\#(token.text)"}"#] {
          if before.isEmpty, text.contains("b\(token.text)") || text.contains("x\(token.text)") { continue }
          var redactor = Redactor(.standard)
          let shown = String(decoding: redactor.redacted(Array(text.utf8).span) ?? Array(text.utf8), as: UTF8.self)
          #expect(!shown.contains(token.secret), "\(text) → \(shown)")
        }
        var redactor = Redactor(.standard)
        var shown: [UInt8] = []
        redactor.redactURL(Array("http://h/a\(before.isEmpty ? "/" : before)\(token.text)".utf8).span, into: &shown)
        #expect(!String(decoding: shown, as: UTF8.self).contains(token.secret), "path \(before)\(token.text)")
      }
    }
  }

  @Test("of a key whose end is missing nothing is left, wherever it is cut behind what it begins with")
  func cutForms() {
    for (form, token) in zip(TokenForm.all, Self.tokens) {
      let key = Array(token.text.utf8)
      for before in ["", "a ", "k=", #"{"note":"x"#, "\\n"] where !before.hasSuffix("x") || form.place == .anywhere {
        for count in form.prefix.utf8CodeUnitCount...key.count {
          let text = Array(before.utf8) + key[..<count]
          #expect(CutText.endOfKnown(text.span) <= before.utf8.count, "\(String(decoding: text, as: UTF8.self))")
        }
      }
    }
    for (text, kept) in [
      ("see https://bob:hunter2", "see https://"), ("x eyJhbGciOi", "x "),
      ("Authorization: Bearer abc", "Authorization: Bearer "),
      ("a\n-----BEGIN PRIVATE K", "a\n----"), ("see https://host/path", nil), ("an ordinary end", nil),
      ("-----BEGIN CERTIFICATE-----\nMII", nil),
    ] as [(String, String?)] {
      let bytes = Array(text.utf8)
      #expect(String(decoding: bytes[..<CutText.endOfKnown(bytes.span)], as: UTF8.self) == kept ?? text)
    }
  }

  @Test("a byte with its length does not hide a form")
  func lengths() {
    for token in Self.tokens where token.text.utf8.count < 0x80 && !token.text.contains(" ") {
      for before: [UInt8] in [[0x12], [0x0A, 0x22], [0xD9], [0x78]] {
        let text = before + [UInt8(token.text.utf8.count)] + Array(token.text.utf8) + [0x1A]
        var redactor = Redactor(.standard)
        let shown = String(decoding: redactor.redacted(text.span) ?? text, as: UTF8.self)
        #expect(!shown.contains(token.secret), "\(token.text) → \(shown)")
      }
    }
  }
}
