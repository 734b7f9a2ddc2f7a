import TapelineCore
import Testing

@Suite struct ProgressTests {
  @Test(
    "0 of 0 is 0, an unknown total gives 0, and a fraction may exceed 1",
    arguments: [
      (0, 0, 0.0, true), (-1, 5, 0.0, true), (10, 5, 0.5, false), (10, 10, 1.0, false), (10, 15, 1.5, false), (0, 5, 1.0, false),
      (10, 0, 0.0, false),
    ] as [(Int64, Int64, Double, Bool)])
  func arithmetic(total: Int64, completed: Int64, fraction: Double, isIndeterminate: Bool) {
    let progress = Progress(totalUnitCount: total, completedUnitCount: completed)
    #expect(progress.fractionCompleted == fraction)
    #expect(progress.isIndeterminate == isIndeterminate)
  }

  @Test func ends() {
    #expect(Progress(totalUnitCount: 5, completedUnitCount: 5).isFinished)
    #expect(!Progress(totalUnitCount: 5, completedUnitCount: 4).isFinished)
    #expect(!Progress(totalUnitCount: -1, completedUnitCount: 4).isFinished)
    #expect(!Progress().isFinished)
    #expect(Progress(totalUnitCount: 5, completedUnitCount: 4).description == "4 of 5")
    #expect(Progress(totalUnitCount: -1, completedUnitCount: 4).description == "4")
  }
}
