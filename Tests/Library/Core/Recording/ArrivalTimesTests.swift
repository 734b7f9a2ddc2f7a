import TapelineCore
import TapelineTime
import Testing

@Suite("Times of arrivals")
struct ArrivalTimesTests {
  private func arrivals(_ list: [(Int64, Int)]) -> ArrivalTimes {
    var arrivals = ArrivalTimes()
    for (microseconds, figure) in list { arrivals.append(MonotonicInstant(nanoseconds: microseconds * 1_000 + 7), figure) }
    return arrivals
  }

  private func list(_ arrivals: ArrivalTimes) -> [[Int]] {
    var list: [[Int]] = []
    arrivals.forEach { list.append([Int($0.nanoseconds / 1_000), $1]) }
    return list
  }

  @Test("One or two pieces take no memory of their own")
  func few() {
    #expect(ArrivalTimes().isEmpty && ArrivalTimes().count == 0)
    let two = arrivals([(90, 1), (1_000_000, 900)])
    #expect(two.memorySize == 0 && two.count == 2 && !two.isEmpty && list(two) == [[90, 1], [1_000_000, 900]])
    #expect(list(arrivals([(5, 60_000)])) == [[5, 60_000]])
  }

  @Test("Whatever came is told: large, late, empty, many at once")
  func all() {
    let figures = [1, 0, 5, 1_023, 1_024, 8_191, 8_192, 65_535, 65_536, 1 << 31]
    let gaps: [Int64] = [0, 1, 131_071, 131_072, 16_383, 16_384, 1_048_575, 1_048_576, 500_000_000]
    var list: [(Int64, Int)] = []
    var time: Int64 = 1_000
    for gap in gaps {
      for figure in figures {
        time += gap
        list.append((time, figure))
      }
    }
    for start in list.indices {
      let some = Array(list[start...])
      #expect(self.list(arrivals(some)) == some.map { [Int($0.0), $0.1] })
    }
  }

  @Test("A gap of hours is told to the millisecond, and the error does not add up")
  func hours() {
    let hour: Int64 = 3_600_000_000
    let list = list(arrivals((0..<50).map { (Int64($0) * (hour + 12_345), 7) }))
    for (index, arrival) in list.enumerated() { #expect(abs(Int64(arrival[0]) - Int64(index) * (hour + 12_345)) < 1_024) }
  }

  @Test("100,000 events of a stream take four bytes each")
  func memory() {
    let many = arrivals((0..<100_000).map { (Int64($0) * 50_000, 300) })
    #expect(many.count == 100_000 && many.memorySize <= 4 * 100_000 + 20_000 && many.leftOut == 0)
    #expect(list(many).last == [99_999 * 50_000, 300])
  }

  @Test("After a million, they are counted")
  func bound() {
    let many = arrivals((0..<1_000_003).map { (Int64($0), 1) })
    #expect(many.count == 1_000_000 && many.leftOut == 3)
  }

  @Test("A copy stays as it is")
  func copies() {
    var one = arrivals((0..<10).map { (Int64($0), 1) })
    let copy = one
    one.append(MonotonicInstant(nanoseconds: 1_000_000), 5)
    #expect(copy.count == 10 && one.count == 11)
  }
}
