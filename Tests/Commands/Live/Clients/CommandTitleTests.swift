import Testing

@testable import TapelineLive

@Suite("Command title")
struct CommandTitleTests {
  @Test("A command reads as it would be typed")
  func plain() {
    #expect(CommandTitle.text(of: ["curl", "-s", "http://a.example/?b=c d"]) == "curl -s 'http://a.example/?b=c d'")
    #expect(CommandTitle.text(of: ["true"]) == "true")
  }

  @Test("A long one is cut between words, and what is left reads as it would be typed")
  func long() {
    let word = String(repeating: "x", count: 90)
    #expect(CommandTitle.text(of: ["a", word, word, word, "b"]) == "a \(word) \(word) …")
    #expect(CommandTitle.text(of: ["sh", "-c", "\(word) \(word) \(word)", "b"]) == "sh -c '\(word) \(word)' …")
    #expect(CommandTitle.text(of: [String(repeating: "y", count: 300)]) == "…")
    let exact = String(repeating: "z", count: 200)
    #expect(CommandTitle.text(of: [exact]) == exact)
    #expect(CommandTitle.text(of: [exact, "b"]) == "\(exact) …")
  }
}
