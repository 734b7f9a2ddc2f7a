import Testing

@testable import TapelineHAR

@Suite("Values made to be of their type")
struct HARTypeConformingTests {
  private struct Result: Equatable {
    let value: HARValue
    let kinds: [HARReadWarning.Kind]

    init(_ value: HARValue, _ kinds: [HARReadWarning.Kind] = []) {
      self.value = value
      self.kinds = kinds
    }
  }

  private func conform(_ value: HARValue, _ type: HARType) -> Result {
    var value = value
    var kinds: [HARReadWarning.Kind] = []
    type.conform(&value, at: .log) { kinds.append($0.kind) }
    return Result(value, kinds)
  }

  @Test("A value of the type stays, and nothing is said")
  func stays() {
    #expect(conform("x", .string) == Result("x", []))
    #expect(conform(1, .integer) == Result(1, []))
    #expect(conform(true, .boolean) == Result(true, []))
    #expect(conform(.number(HARNumber(1.5)), .number) == Result(.number(HARNumber(1.5)), []))
    #expect(
      conform(["name": "a", "version": "b", "_c": .null], .object(.creator))
        == Result(["name": "a", "version": "b", "_c": .null], []))
  }

  @Test("Numbers, texts and truth values in each other's clothes")
  func clothes() throws {
    #expect(conform("12", .integer) == Result(12, [.quoted]))
    #expect(conform("1.5", .number) == Result(.number(HARNumber(1.5)), [.quoted]))
    #expect(conform("1.5", .integer) == Result(2, [.quoted]))
    #expect(conform(443, .string) == Result("443", [.unquoted]))
    #expect(conform("true", .boolean) == Result(true, [.quoted]))
    #expect(conform(.number(HARNumber(12.5)), .integer) == Result(13, [.fraction]))
    let written = try HARValue(json: Array("12.0".utf8).span)
    #expect(conform(written, .integer) == Result(12, [.fraction]))
    let huge = try HARValue(json: Array("1e300".utf8).span)
    #expect(conform(huge, .integer) == Result(9_007_199_254_740_991, [.impossible]))
  }

  @Test("What says nothing becomes null, for its object to remove or replace")
  func nothing() {
    #expect(conform(.null, .string) == Result(.null, [.null]))
    #expect(conform([], .string) == Result(.null, [.wrongType(expected: "a string", found: "an array")]))
    #expect(conform("x", .number) == Result(.null, [.wrongType(expected: "a number", found: "a string")]))
  }

  @Test("Headers in the form of an object, and of pairs")
  func fields() {
    let headers = HARShape.entry.member("request").flatMap { member -> HARType? in
      guard case .object(let request) = member.type else { return nil }
      return request.member("headers")?.type
    }
    let expected: HARValue = [["name": "A", "value": "1"], ["name": "B", "value": "2"]]
    #expect(headers.map { conform(["A": "1", "B": "2"], $0).value } == expected)
    #expect(headers.map { conform([["A", "1"], ["B", "2"]], $0).value } == expected)
    #expect(headers.map { conform(["A": 1], $0).value } == .null)
  }

  @Test("Required members are filled in, optional ones without sense removed, of double ones the last stays")
  func members() {
    let page = conform(["id": "p", "comment": 1, "comment": .null, "_x": .null], .object(.page))
    #expect(page.value.object?.members.map(\.name) == ["id", "_x", "startedDateTime", "title", "pageTimings"])
    #expect(page.kinds == [.duplicate, .null, .missing, .missing, .missing])
  }

  @Test("What is left of anything at all has its shape")
  func anything() {
    let entry = conform([:], .object(.entry)).value
    #expect(conform(entry, .object(.entry)) == Result(entry))
  }
}
