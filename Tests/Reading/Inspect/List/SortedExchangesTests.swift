import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Sorted exchanges")
struct SortedExchangesTests {
  private func numbers(_ order: String, _ times: [Double], limit: Int = .max) throws -> [Int] {
    var sorted = SortedExchanges<Int>(order: try ListOrder(order), limit: limit)
    for (index, time) in times.enumerated() {
      var entry = HAREntry.ordinary()
      entry.time = time
      entry.timings.dns = time
      sorted.add(entry, number: index + 1) { index + 1 }
    }
    return sorted.results()
  }

  @Test("The least first, or the greatest; equal ones as in the file")
  func order() throws {
    let times: [Double] = [5, 1, 5, 9, 1]
    #expect(try numbers("total", times) == [2, 5, 1, 3, 4])
    #expect(try numbers("total:asc", times) == [2, 5, 1, 3, 4])
    #expect(try numbers("total:desc", times) == [4, 1, 3, 2, 5])
  }

  @Test("What does not have the field comes last either way")
  func absent() throws {
    #expect(try numbers("dns", [3, -1, 1]) == [3, 1, 2])
    #expect(try numbers("dns:desc", [3, -1, 1]) == [1, 3, 2])
  }

  @Test("A limit gives what sorting all would have given", arguments: [1, 2, 7, 50, 99, 100, 1_000])
  func limit(limit: Int) throws {
    var generator = SystemRandomNumberGenerator()
    let times = (0..<100).map { _ in Double(Int.random(in: 0..<20, using: &generator)) }
    for order in ["total", "total:desc"] {
      #expect(try numbers(order, times, limit: limit) == Array(try numbers(order, times).prefix(limit)), "\(times)")
    }
  }

  @Test("With a limit, no more than twice as many results are made as are wanted at a time")
  func lazy() throws {
    var sorted = SortedExchanges<Int>(order: try ListOrder("total:desc"), limit: 2)
    var made = 0
    for number in 1...1_000 {
      var entry = HAREntry.ordinary()
      entry.time = Double(1_000 - number)
      sorted.add(entry, number: number) {
        made += 1
        return number
      }
    }
    #expect(sorted.results() == [1, 2])
    #expect(made == 4)
  }

  @Test("What is no order is refused at its place", arguments: [("totl", 1), ("total:down", 6), ("total,wait", 6), ("", 1)])
  func errors(text: String, column: Int) {
    let error = #expect(throws: QueryError.self) { try ListOrder(text) }
    #expect(error?.column == column)
  }
}
