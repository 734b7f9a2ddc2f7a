internal import TapelineBase

/// The phases of one exchange, one per line, with a bar that starts where the phase started.
struct PhaseBars {
  private let durations: PhaseDurations
  /// `nil` if it is not known.
  private let total: Double?
  /// How long the client took to take the response after the server had sent all of it.
  private let delivery: Double?
  private let palette: Palette
  private let barWidth: Int

  private static let labelWidth = 10
  private static let figureWidth = 14
  private static let barWidths = 20...100

  /// - Parameters:
  ///   - delivery: what follows the phases, in milliseconds; `nil` for nothing.
  ///   - width: the width of the lines.
  init(_ durations: PhaseDurations, total: Double?, delivery: Double? = nil, width: Int, palette: Palette) {
    self.delivery = delivery
    self.durations = durations
    self.total = total
    self.palette = palette
    let room = width - Self.labelWidth - Self.figureWidth - 2
    barWidth = min(max(room, Self.barWidths.lowerBound), Self.barWidths.upperBound)
  }

  var lines: [String] {
    var start = 0.0
    var lines: [String] = []
    for phase in Phase.allCases {
      let duration = durations[phase]
      // Logs of other programs do not have these phases.
      if !phase.isOfTotal, duration == nil { continue }
      // TLS is the last part of connecting, so its bar ends where the `connect` bar ends.
      let offset = phase == .ssl ? start - (duration ?? 0) : start
      lines.append(line(phase == .ssl ? "  ssl" : phase.name, duration, bar(phase, from: offset, for: duration ?? 0)))
      if phase != .ssl { start += duration ?? 0 }
    }
    let share = whole > 0 ? Int(saturating: (Double(barWidth) * (total ?? 0) / whole).rounded()) : barWidth
    let strip = PhaseStrip.colored(for: durations, width: max(1, min(share, barWidth)), palette: palette)
    let apart = Phase.allCases.filter { !$0.isOfTotal && durations[$0] != nil }
    if apart.isEmpty {
      lines.append(line("total", total, strip))
    } else {
      let rest = apart.reduce(total) { rest, phase in rest.map { max(0, $0 - (durations[phase] ?? 0)) } }
      let name = apart.count > 1 ? "+ both" : "+ \(apart[0].name)"
      lines += [line("total", rest, ""), line(name, total, strip)]
    }
    guard let delivery else { return lines }
    return lines + [line("delivery", delivery, bar(.receive, from: total ?? 0, for: delivery))]
  }

  private var whole: Double { (total ?? 0) + (delivery ?? 0) }

  private func line(_ name: String, _ milliseconds: Double?, _ bar: String) -> String {
    let figure = (milliseconds.map(DurationText.exact) ?? "-").rightAligned(to: Self.figureWidth)
    let text = palette.apply(.dim, to: "  \(name)".padded(to: Self.labelWidth)) + figure
    return bar.allSatisfy { $0 == " " } ? text : text + "  " + bar
  }

  private func bar(_ phase: Phase, from start: Double, for duration: Double) -> String {
    guard whole > 0, whole.isFinite, duration > 0, start >= 0 else { return "" }
    let scale = Double(barWidth) / whole
    let offset = min(Int(saturating: start * scale), barWidth - 1)
    let length = min(max(1, Int(saturating: (duration * scale).rounded())), barWidth - offset)
    let line = String(repeating: palette.isUnicode ? "━" : "=", count: length)
    return String(repeating: " ", count: offset) + palette.apply(phase.style, to: line)
  }
}

/// One sentence that says why an exchange took as long as it did.
enum LongestPhaseText {
  /// `wait, 421ms of 463ms (91 %): the request was sent, and the server had not answered yet`; `nil` when nothing took time.
  static func line(for durations: PhaseDurations, total: Double) -> String? {
    guard let (phase, duration) = durations.longest, total > 0 else { return nil }
    let share = Int(saturating: (duration / max(total, duration) * 100).rounded())
    return "\(phase.word), \(DurationText.compact(duration)) of \(DurationText.compact(total)) (\(share) %): \(phase.meaning)"
  }
}
