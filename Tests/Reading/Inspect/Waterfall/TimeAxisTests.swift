import Testing

@testable import TapelineInspect

@Suite("Time axis")
struct TimeAxisTests {
  @Test(
    "Marks are round and far enough apart",
    arguments: [
      (1_000.0, 80, [0, 200, 400, 600, 800]), (993, 37, [0, 250, 500, 750]), (0.05, 40, [0, 0.02, 0.04]),
      (90_000, 40, [0, 30_000, 60_000]), (10_800_000, 60, [0, 1_800_000, 3_600_000, 5_400_000, 7_200_000, 9_000_000]),
      (0, 40, [0]), (5, 3, [0]),
    ])
  func marks(duration: Double, width: Int, expected: [Double]) {
    let marks = TimeAxis(duration: duration, width: width).marks
    #expect(marks.count == expected.count && zip(marks, expected).allSatisfy { abs($0 - $1) < 1e-9 }, "\(marks)")
  }

  @Test("Each label begins at its mark and none goes over the end")
  func text() {
    #expect(TimeAxis(duration: 1_000, width: 40).text == "|0        |250ms    |500ms    |750ms")
    #expect(TimeAxis(duration: 1_500, width: 30).text == "|0        |500ms    |1s")
    #expect(TimeAxis(duration: 0, width: 30).text == "|0")
  }

  @Test("Bars have at least a cell and end within the axis")
  func cells() {
    let axis = TimeAxis(duration: 100, width: 50)
    #expect(axis.cell(at: 0) == 0)
    #expect(axis.cell(at: 50) == 25)
    #expect(axis.cell(at: 100) == 49)
    #expect(axis.cells(from: 0, for: 100) == 50)
    #expect(axis.cells(from: 99, for: 0.001) == 1)
    #expect(axis.cells(from: 90, for: 1e9) == 5)
    #expect(TimeAxis(duration: 0, width: 5).cells(from: 0, for: 3) == 1)
  }

  @Test(
    "Round figures",
    arguments: [(0.0, "0"), (0.25, "250us"), (20, "20ms"), (2.5, "2.5ms"), (1_500, "1.5s"), (90_000, "1.5m"), (7_200_000, "2h")])
  func figures(milliseconds: Double, text: String) {
    #expect(DurationText.round(milliseconds) == text)
  }
}
