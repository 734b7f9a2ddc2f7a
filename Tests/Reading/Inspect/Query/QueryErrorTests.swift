import Testing

@testable import TapelineInspect

@Suite("Query error")
struct QueryErrorTests {
  private func excerpt(_ query: String) -> [String] {
    let error = #expect(throws: QueryError.self) { try Query(query) }
    return error?.excerpt(of: query) ?? []
  }

  @Test("A caret stands under the column")
  func caret() {
    #expect(excerpt("status >= 5OO") == ["  status >= 5OO", "             ^"])
    #expect(excerpt("hots") == ["  hots", "  ^"])
    #expect(excerpt("status >=") == ["  status >=", "           ^"])
  }

  @Test("Wide and control characters do not move it")
  func cells() {
    #expect(excerpt("host == \"日本\" hm") == ["  host == \"日本\" hm", "                 ^"])
    #expect(excerpt("host == \"\u{1B}\" hm") == ["  host == \"\u{FFFD}\" hm", "              ^"])
  }

  @Test("Of a long query, what led to the trouble is shown")
  func long() {
    let query = String(repeating: "status == 200 or ", count: 20) + "hots" + String(repeating: " or error", count: 20)
    let lines = excerpt(query)
    #expect(lines.count == 2)
    #expect(lines[0].count == 78)
    #expect(Array(lines[0]).dropFirst(lines[1].count - 1).prefix(4) == ["h", "o", "t", "s"])
  }
}
