import TapelineBase
import TapelineHAR
import Testing

@testable import TapelineRedaction

/// JSON stays JSON: for any document and any names, the result parses, has the same shape and keeps every other value, and no
/// leaf under a secret name stays.
struct SecretTreeTests {
  private static let names = [
    "a", "b", "id", "user", "value", "name", "code", "kind", "items", "token", "password", "credentials", "session", "secret",
    "apiKey", "csrf", "x-auth", "über", "a\"b", "c\\d",
  ]
  private static let secretNames: Set<String> = ["token", "password", "credentials", "session", "secret", "apiKey", "csrf"]

  private static func document(_ random: inout SeededGenerator, depth: Int) -> HARValue {
    switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &random) {
    case 0: return .null
    case 1: return .bool(Bool.random(using: &random))
    case 2: return .number(HARNumber(Int.random(in: -99_999...99_999, using: &random)))
    case 3, 4, 5: return .string(text(&random))
    case 6: return .array((0..<Int.random(in: 0...4, using: &random)).map { _ in document(&random, depth: depth - 1) })
    default:
      var object = HARObject()
      for _ in 0..<Int.random(in: 0...5, using: &random) {
        let name = names[Int.random(in: 0..<names.count, using: &random)]
        if object[name] == nil { object[name] = document(&random, depth: depth - 1) }
      }
      return .object(object)
    }
  }

  private static func text(_ random: inout SeededGenerator) -> String {
    let pieces = ["plain", "two words", "é", "\"", "\\", "\n", "\t", "{", "}", "[", "]", ",", ":", "'", "/", "<b>", "1", ""]
    return (0..<Int.random(in: 0...3, using: &random)).map { _ in pieces[Int.random(in: 0..<pieces.count, using: &random)] }
      .joined()
  }

  /// Compares the two, leaf by leaf.
  private func check(_ before: HARValue, _ after: HARValue, isSecret: Bool, _ fail: (String) -> Void) {
    switch (before, after) {
    case (.array(let left), .array(let right)):
      guard left.count == right.count else { return fail("an array keeps its length") }
      for (one, other) in zip(left, right) { check(one, other, isSecret: isSecret, fail) }
    case (.object(let left), .object(let right)):
      guard left.members.map(\.name) == right.members.map(\.name) else { return fail("an object keeps its names") }
      for (one, other) in zip(left.members, right.members) {
        check(one.value, other.value, isSecret: isSecret || Self.secretNames.contains(one.name), fail)
      }
    case (.string(let text), .string(let shown)):
      if isSecret {
        if !text.isEmpty, !shown.hasPrefix("SENSITIVE_") { fail("\(text) stays") }
      } else if text != shown {
        fail("\(text) goes")
      }
    case (.number(let number), .string):
      if !isSecret || number.text.filter(\.isNumber).count < 4 { fail("\(number.text) goes") }
    case (.number(let number), .number):
      if isSecret, number.text.filter(\.isNumber).count >= 4 { fail("\(number.text) stays") }
      if before != after { fail("\(number.text) changes") }
    default:
      if before != after { fail("\(before) changes") }
    }
  }

  @Test("any JSON, also in a string of JSON, keeps its shape and loses its secrets")
  func anyDocument() throws {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<1_500 {
      let document = Self.document(&random, depth: 5)
      let nested = HARValue.object(["a": .string(String(decoding: document.json, as: UTF8.self)), "z": "end"])
      for (value, isNested) in [(document, false), (nested, true)] {
        var redactor = Redactor(.standard)
        let bytes = value.json
        let redacted = redactor.redacted(bytes.span) ?? bytes
        let shown = try HARValue(json: redacted.span)
        if isNested {
          #expect(shown["z"] == "end")
          let text = Array((shown["a"]?.string ?? "").utf8)
          let inner = try HARValue(json: text.span)
          check(document, inner, isSecret: false) { Issue.record("\($0): \(document.json.text) → \(inner.json.text)") }
        } else {
          check(document, shown, isSecret: false) { Issue.record("\($0): \(bytes.text) → \(shown.json.text)") }
        }
      }
    }
  }
}

extension [UInt8] {
  fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}
