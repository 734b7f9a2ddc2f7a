import TapelineHTTP
import TapelineRedaction
import Testing

@Suite struct RecordedFieldsTests {
  private static let secret = "q8Zk4Lw0Xys3cr3tV7"
  private static let authorization = ("Authorization", "Bearer \(secret)")

  /// The values after both passes, and whether the second one found anything.
  private func hidden(_ lines: [(String, String)]) -> (values: [String], hadEchoes: Bool, counts: [Int]) {
    var redactor = Redactor(.standard)
    redactor.beginEntry()
    var recorded = redactor.hidden(HeaderFields(lines))
    redactor.knowsAll()
    let hadEchoes = recorded.hideEchoes(by: &redactor)
    let values = lines.indices.map { line in
      recorded.withValue(at: line) { String(bytes: $0) }.replacing(/SENSITIVE_[0-9a-f]{16}/, with: "…")
    }
    return (values, hadEchoes, lines.indices.map { recorded.secretCount(at: $0) })
  }

  @Test("A head without an echo stays as the first pass has left it")
  func noEcho() {
    let result = hidden([("Accept", "*/*"), Self.authorization, ("X-Note", "other")])
    #expect(result.values == ["*/*", "Bearer …", "other"])
    #expect(!result.hadEchoes)
    #expect(result.counts == [0, 1, 0])
  }

  @Test("An echo is found before, between and after lines that were changed", arguments: 0..<3)
  func echo(place: Int) {
    var lines = [Self.authorization, ("Cookie", "a=\(Self.secret)1")]
    lines.insert(("X-Copy", "<\(Self.secret)>"), at: place)
    let result = hidden(lines)
    #expect(result.values[place] == "<…>")
    #expect(result.hadEchoes)
    #expect(result.counts == [1, 1, 1])
  }

  @Test("An echo is found in the rest of a value that was changed")
  func echoInChangedValue() {
    let result = hidden([Self.authorization, ("Cookie", "\(Self.secret)=0123456789abcdef")])
    #expect(result.values == ["Bearer …", "…=…"])
    #expect(result.hadEchoes)
    #expect(result.counts == [1, 2])
  }

  @Test("The host stays: the URL has it, too")
  func host() {
    let result = hidden([("Host", "\(Self.secret).example"), Self.authorization])
    #expect(result.values == ["\(Self.secret).example", "Bearer …"])
    #expect(!result.hadEchoes)
  }
}
