import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Offender list")
struct OffenderListTests {
  private static func numbers(_ ranking: OffenderList.Ranking, limit: Int) -> (named: [Int], count: Int) {
    var list = OffenderList(limit: limit, ranking: ranking)
    for (index, rank) in [3.0, 1, 4, 1, 5, 9, 2].enumerated() {
      list.add(.ordinary(), number: index + 1, rank: rank) { [] }
    }
    return (list.offenders.map(\.number), list.count)
  }

  @Test("The first, the largest or the smallest are named, all are counted")
  func rankings() {
    #expect(Self.numbers(.first, limit: 3) == ([1, 2, 3], 7))
    #expect(Self.numbers(.largest, limit: 3) == ([6, 5, 3], 7))
    #expect(Self.numbers(.smallest, limit: 3) == ([2, 4, 7], 7), "of equal ones the first")
    #expect(Self.numbers(.largest, limit: 0) == ([], 7))
  }

  @Test("Facts are only asked for of those that are named")
  func laziness() {
    var list = OffenderList(limit: 1)
    var asked = 0
    for number in 1...3 {
      list.add(.ordinary(), number: number) {
        asked += 1
        return []
      }
    }
    #expect(asked == 1)
  }
}
