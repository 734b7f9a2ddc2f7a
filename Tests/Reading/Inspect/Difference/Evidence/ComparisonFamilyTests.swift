import Testing

@testable import TapelineInspect

@Suite("Comparison family")
struct ComparisonFamilyTests {
  @Test("Holm: each finding leaves one comparison fewer")
  func holm() {
    let chances = [0.04, 0.001, 0.02, 0.3].map { Chance(probability: $0, least: 0) }
    #expect(ComparisonFamily(chances, share: 0.05).areFindings == [false, true, false, false])
    #expect(ComparisonFamily([chances[1], chances[2]], share: 0.05).areFindings == [true, true])
  }

  @Test("Tarone: comparisons that can have no result are not counted")
  func tarone() {
    let hopeless = [Chance](repeating: Chance(probability: 1, least: 0.5), count: 1_000)
    let family = ComparisonFamily([Chance(probability: 0.02, least: 0.0001), nil] + hopeless, share: 0.05)
    #expect(family.testable == 1)
    #expect(family.areFindings.count == 1_002)
    #expect(family.areFindings[0])
    #expect(!family.isTestable(1) && !family.isTestable(2))
  }

  @Test("Probabilities against tables")
  func probabilities() {
    #expect(abs(ChanceProbability.student(above: 2.228, degrees: 10) - 0.025) < 0.001)
    #expect(abs(ChanceProbability.student(above: -1, degrees: 1_000) - 0.841) < 0.001)
    #expect(abs(ChanceProbability.studentFactor(degrees: 10) - 2.228) < 0.01)
    // Fisher's lady tasting tea: all four of eight.
    #expect(abs(ChanceProbability.marked(atLeast: 4, of: 4, marked: 4, among: 8) - 1.0 / 70) < 1e-9)
    #expect(ChanceProbability.marked(atLeast: 5, of: 4, marked: 4, among: 8) == 0)
  }
}
