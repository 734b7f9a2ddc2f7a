package import TapelineOffline
internal import TapelineHAR
package import TapelineInspect
internal import TapelineSystem
internal import TapelineTime

/// A recording's traffic as it passes, until the recording ends or enough was shown.
package struct TrafficView {
  private let client: ControlClient
  /// The time between two updates.
  private let interval: Duration
  /// The time up to now that the figures cover.
  private let window: Duration
  private let updates: Int

  /// - Parameter count: the number of updates; `nil` for no limit.
  package init(of client: ControlClient, every interval: Duration, over window: Duration, count: Int?) {
    self.client = client
    self.interval = interval
    self.window = window
    updates = count ?? .max
  }

  /// Prints a line for each update.
  package func printLines(asJSON: Bool) throws(CommandFailure) {
    var window = TrafficWindow(length: window)
    _ = window.add(try client.traffic())
    let text = TrafficText(width: .max, height: 0, palette: Palette(isColored: false))
    var output = StandardOutput()
    for _ in 0..<updates {
      SystemThread.sleep(for: interval)
      guard let reading = latest() else { return }
      guard let passed = window.add(reading) else { continue }
      if asJSON { try output.write(json: passed.json) } else { try output.write(line: text.line(passed)) }
      try output.flush()
    }
  }

  /// Shows the traffic on the whole terminal, until a key or a signal ends that.
  package func show(title: String, environment: [String: String], palette: Palette) throws(CommandFailure) {
    var window = TrafficWindow(length: window)
    _ = window.add(try client.traffic())
    let screen = LiveScreen()
    for _ in 0..<updates {
      guard case .timeUp = screen.wait(milliseconds: Int(interval.nanoseconds / 1_000_000)) else { return }
      guard let reading = latest(), let passed = window.add(reading) else { return }
      let text = TrafficText(width: Terminal.width(environment: environment), height: screen.height, palette: palette)
      screen.show(text.screen(passed, title: title))
    }
  }

  /// `nil` when the recording has ended, which also ends the view.
  private func latest() -> RecordingTraffic? {
    do throws(CommandFailure) {
      return try client.traffic()
    } catch {
      return nil
    }
  }
}
