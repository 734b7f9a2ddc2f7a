import Testing

@testable import TapelineProxy

@Suite("A dictionary with a bound")
struct BoundedTableTests {
  @Test("What came first is forgotten first; a new value makes nothing younger")
  func order() {
    var table = BoundedTable<String, Int>(limit: 2)
    table["a"] = 1
    table["b"] = 2
    table["a"] = 3
    table["c"] = 4
    #expect(table.values == ["b": 2, "c": 4])
    table["b"] = nil
    table["b"] = nil
    table["d"] = 5
    #expect(table.values == ["c": 4, "d": 5])
    table.removeAll { $1 == 4 }
    table["e"] = 6
    #expect(table.values == ["d": 5, "e": 6])
  }
}
