import TapelineHAR
import Testing

@testable import TapelineRedaction

/// What is no secret stays readable: of the values of ordinary documents, at most one in a thousand is replaced.
struct ReadableTests {
  private func shown(_ text: String) -> String {
    var redactor = Redactor(.standard)
    return String(decoding: redactor.redacted(Array(text.utf8).span) ?? Array(text.utf8), as: UTF8.self)
  }

  private func leaves(of value: HARValue) -> [HARValue] {
    switch value {
    case .null, .bool, .number, .string: [value]
    case .array(let elements): elements.flatMap { leaves(of: $0) }
    case .object(let object): object.members.flatMap { leaves(of: $0.value) }
    }
  }

  @Test("JSON of services, packages and descriptions stays, and stays JSON")
  func json() throws {
    var documents = OrdinaryDocuments(seed: 1)
    var (count, replaced) = (0, 0)
    for _ in 0..<1_000 {
      let text = documents.json()
      let bytes = (whole: Array(text.utf8), shown: Array(shown(text).utf8))
      let before = leaves(of: try HARValue(json: bytes.whole.span))
      let after = leaves(of: try HARValue(json: bytes.shown.span))
      try #require(before.count == after.count)
      count += before.count
      for (one, other) in zip(before, after) where one != other {
        replaced += 1
        guard case .string(let word) = one, !word.isEmpty else {
          Issue.record("\(one) becomes \(other)")
          continue
        }
      }
    }
    #expect(count > 10_000 && replaced * 1_000 <= count, "\(replaced) of \(count)")
  }

  @Test("logs, pages, sources, forms, heads and tables stay")
  func text() {
    var documents = OrdinaryDocuments(seed: 2)
    var (count, replaced) = (0, 0)
    for _ in 0..<1_000 {
      let text = documents.text()
      let found = shown(text)
      count += text.split(whereSeparator: \.isWhitespace).count
      let here = found.ranges(of: "SENSITIVE_").count
      if here > 0, replaced < 5 { print("replaced in: \(found)") }
      replaced += here
    }
    #expect(count > 10_000 && replaced * 1_000 <= count, "\(replaced) of \(count)")
  }
}
