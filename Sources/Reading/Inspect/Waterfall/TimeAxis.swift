/// A time span drawn on the cells of a terminal, with round marks.
struct TimeAxis {
  /// In milliseconds.
  let duration: Double
  let width: Int

  /// The minimum number of cells between marks.
  private static let leastDistance = 9

  /// The cell of an instant that is given in milliseconds from the start.
  func cell(at milliseconds: Double) -> Int {
    guard duration > 0 else { return 0 }
    return min(max(0, Int(saturating: milliseconds / duration * Double(width))), width - 1)
  }

  /// The number of cells of a duration that begins at `start`: at least one.
  func cells(from start: Double, for milliseconds: Double) -> Int {
    guard duration > 0 else { return 1 }
    let end = Int(saturating: ((start + milliseconds) / duration * Double(width)).rounded())
    return min(max(1, end.addingSaturating(-cell(at: start))), width - cell(at: start))
  }

  /// The marks, from 0 on, in milliseconds.
  var marks: [Double] {
    guard duration > 0, width >= Self.leastDistance else { return [0] }
    let step = Self.roundStep(atLeast: duration * Double(Self.leastDistance) / Double(width))
    return Array(stride(from: 0, to: duration, by: step))
  }

  /// The marks as text, each at its cell.
  var text: String {
    var line = ""
    for mark in marks {
      let label = "|" + DurationText.round(mark)
      let place = cell(at: mark)
      guard place >= line.count, place + label.count <= width else { continue }
      line += String(repeating: " ", count: place - line.count) + label
    }
    return line
  }

  /// 1, 2, 2.5 or 5 times a power of ten; above a second, round parts of minutes and hours.
  private static func roundStep(atLeast least: Double) -> Double {
    let longSteps = [2e3, 5e3, 1e4, 2e4, 3e4, 6e4, 1.2e5, 3e5, 6e5, 1.2e6, 1.8e6, 3.6e6, 7.2e6, 2.16e7, 4.32e7, 8.64e7]
    var step = 0.001
    while step < 2_000 {
      for factor in [1.0, 2, 2.5, 5] where step * factor >= least && step * factor <= 1_000 { return step * factor }
      step *= 10
    }
    return longSteps.first { $0 >= least } ?? least
  }
}

extension DurationText {
  /// A round figure without unneeded decimals: `0`, `20ms`, `1.5s`, `2m`.
  static func round(_ milliseconds: Double) -> String {
    switch milliseconds {
    case 0: "0"
    case ..<1: trimmed(milliseconds * 1_000) + "us"
    case ..<1_000: trimmed(milliseconds) + "ms"
    case ..<60_000: trimmed(milliseconds / 1_000) + "s"
    case ..<3_600_000: trimmed(milliseconds / 60_000) + "m"
    default: trimmed(milliseconds / 3_600_000) + "h"
    }
  }

  private static func trimmed(_ value: Double) -> String {
    var text = fixed(value, decimals: 2)
    while text.last == "0" { text.removeLast() }
    if text.last == "." { text.removeLast() }
    return text
  }
}
