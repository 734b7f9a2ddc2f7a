import TapelineBase
import Testing

@Suite("Seeded generator")
struct SeededGeneratorTests {
  /// The reference values of SplitMix64's authors, for the seed 1234567.
  @Test("The sequence is the published one")
  func reference() {
    var generator = SeededGenerator(seed: 1_234_567)
    let numbers = (0..<5).map { _ in generator.next() }
    #expect(
      numbers == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423, 4_593_380_528_125_082_431,
        16_408_922_859_458_223_821,
      ])
  }

  @Test("A name has its sequence, in every run")
  func names() {
    var first = SeededGenerator(naming: "GET http://h/a total p50".utf8)
    var again = SeededGenerator(naming: "GET http://h/a total p50".utf8)
    var other = SeededGenerator(naming: "GET http://h/a total p95".utf8)
    let numbers = (0..<3).map { _ in first.next() }
    let same = (0..<3).map { _ in again.next() }
    let different = (0..<3).map { _ in other.next() }
    #expect(numbers == same)
    #expect(numbers != different)
    // FNV-1a of "a", as its authors publish it.
    var a = SeededGenerator(naming: "a".utf8)
    var seeded = SeededGenerator(seed: 0xAF63_DC4C_8601_EC8C)
    let (named, numbered) = (a.next(), seeded.next())
    #expect(named == numbered)
  }

  @Test("Uniform numbers lie between 0 and 1, and in the middle on average")
  func uniform() {
    var generator = SeededGenerator(seed: 2)
    let numbers = (0..<10_000).map { _ in generator.uniform() }
    #expect(numbers.allSatisfy { $0 > 0 && $0 < 1 })
    #expect(abs(numbers.reduce(0, +) / 10_000 - 0.5) < 0.01)
  }
}
