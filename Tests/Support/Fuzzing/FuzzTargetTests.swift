import TapelineFuzzing
import Testing

/// The short run of every fuzz target: its seeds, and mutations of them that are the same in every run. `scripts/fuzz` is the
/// long one.
@Suite struct FuzzTargetTests {
  @Test("every seed of a target holds", arguments: FuzzTarget.allCases)
  func everySeedHolds(target: FuzzTarget) throws {
    for (name, seed) in try SeedCorpus(of: target).seeds {
      #expect(throws: Never.self, "\(name)") { try target.check(seed) }
    }
  }

  @Test("mutations of the seeds hold", arguments: FuzzTarget.allCases)
  func mutationsHold(target: FuzzTarget) throws {
    let corpus = try SeedCorpus(of: target)
    var mutator = InputMutator(seeds: corpus.seeds.map(\.bytes), dictionary: corpus.dictionary, seed: 1)
    for number in 0..<300 {
      let input = mutator.next()
      #expect(throws: Never.self, "mutation \(number): \(input)") { try target.check(input) }
    }
  }

  @Test("a target tells what does not hold")
  func violationIsTold() throws {
    #expect(throws: OracleViolation.self) { _ = try FuzzDictionary("unquoted") }
    #expect(try FuzzDictionary("# comment\n\"a\\\\\\\"\\x0D\"\n").words == [[0x61, 0x5C, 0x22, 0x0D]])
  }

  @Test("mutations are the same in every run, and differ from each other")
  func mutationsAreRepeatable() {
    func inputs(_ seed: UInt64) -> [[UInt8]] {
      var mutator = InputMutator(seeds: [Array("one".utf8), Array("another".utf8)], dictionary: [[0]], seed: seed)
      return (0..<50).map { _ in mutator.next() }
    }
    #expect(inputs(7) == inputs(7))
    #expect(inputs(7) != inputs(8))
    #expect(Set(inputs(7)).count > 40)
  }
}
