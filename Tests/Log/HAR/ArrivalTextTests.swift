import TapelineHAR
import Testing

@Suite("Compact text of arrivals")
struct ArrivalTextTests {
  private func text(_ numbers: [Int]) -> String {
    var writer = JSONWriter()
    for number in numbers { writer.append(arrival: number) }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test("Numbers of any size are read as they were written")
  func numbers() throws {
    var numbers: [Int] = [0]
    for bits in 1..<59 {
      let power: Int = 1 << bits
      for number: Int in [power - 1, power, power + 1] { numbers.append(number) }
    }
    #expect(ArrivalText(text(numbers))?.numbers == numbers)
    #expect(text([0, 31, 32, 1_000]) == "g_AhI_", "the last digit of a number has 32 more")
    #expect(ArrivalText("")?.numbers == [])
  }

  @Test("An event of 100 bytes every 50 ms takes six bytes")
  func size() {
    #expect(text((0..<1_000).flatMap { _ in [50_000, 100] }).utf8.count == 6_000)
  }

  @Test("Behind a point the bytes that pieces completed, behind a plus how many more there were")
  func parts() throws {
    let arrivals = try #require(ArrivalText(text([5, 6]) + "." + text([7]) + "+12"))
    #expect(arrivals.numbers == [5, 6] && arrivals.contentSizes == [7] && arrivals.leftOut == 12)
  }

  @Test(
    "Any other text is none of ours", arguments: ["A", "g g", "é", "g+", "g+x", "g+-1", "g.A", String(repeating: "A", count: 14)])
  func others(text: String) {
    #expect(ArrivalText(text) == nil)
  }
}
