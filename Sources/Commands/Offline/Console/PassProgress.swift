internal import TapelineSystem
internal import TapelineTime

/// The progress of a long reading: a line that is redrawn on stderr, if stderr is a terminal.
package struct PassProgress {
  private var line: ProgressLine
  private let isShown: Bool
  private var calls: UInt8 = 0

  /// - Parameter passes: how often the whole file is read.
  package init(of name: String, passes: Int, isQuiet: Bool) {
    line = ProgressLine(name, passes: passes, begin: .now)
    isShown = !isQuiet && TerminalDevice.isTerminal(StandardStream.error)
  }

  /// Draws the line if it is time to. To be called for each exchange; only every sixteenth call looks at the clock.
  ///
  /// - Parameter fraction: of this pass, from 0 to 1; `nil` if unknown.
  package mutating func show(_ fraction: @autoclosure () -> Double?) {
    guard isShown else { return }
    calls &+= 1
    guard calls % 16 == 0, let text = line.text(at: .now, fraction()) else { return }
    Console.write(text)
  }

  package mutating func beginPass() {
    line.beginPass()
  }

  /// Clears the line, so that other text can be written there.
  package mutating func end() {
    guard isShown, let text = line.clearing() else { return }
    Console.write(text)
  }
}

/// Decides when to draw, and what.
struct ProgressLine {
  private let name: String
  private let passes: Int
  private var pass = 0
  private var next: MonotonicInstant
  private var isDrawn = false

  /// A shorter reading needs no line.
  private static let patience = Duration.seconds(1)
  private static let interval = Duration.milliseconds(200)

  init(_ name: String, passes: Int, begin: MonotonicInstant) {
    self.name = name
    self.passes = passes
    next = begin.advanced(by: Self.patience)
  }

  mutating func beginPass() {
    pass = min(pass + 1, passes - 1)
  }

  /// `nil` if there is nothing to draw.
  mutating func text(at now: MonotonicInstant, _ fraction: Double?) -> String? {
    guard now >= next else { return nil }
    next = now.advanced(by: Self.interval)
    isDrawn = true
    guard let fraction else { return "\r\u{1B}[Ktapeline: \(name): reading …" }
    let percent = Int((Double(pass) + min(1, max(0, fraction))) / Double(passes) * 100)
    return "\r\u{1B}[Ktapeline: \(name): \(percent) %"
  }

  mutating func clearing() -> String? {
    guard isDrawn else { return nil }
    isDrawn = false
    return "\r\u{1B}[K"
  }
}
