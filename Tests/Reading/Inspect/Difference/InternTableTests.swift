import Testing

@testable import TapelineInspect

@Suite("Intern table")
struct InternTableTests {
  @Test("Equal values share a number; a full table takes only what it knows")
  func numbers() {
    var table = InternTable<String>(sizeLimit: 10)
    let numbers = [("abc", 4), ("def", 4), ("abc", 4), ("ghi", 4), ("g", 2)].map { table.number(of: $0.0, size: $0.1) }
    #expect(numbers == [0, 1, 0, nil, 2])
    #expect(table[1] == "def")
  }
}
