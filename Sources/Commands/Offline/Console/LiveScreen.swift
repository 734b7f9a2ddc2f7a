internal import TapelineSystem

/// The terminal during a live view: the alternate screen, no echo, keys one by one. It is restored when the view ends, also by a
/// signal, which the view polls for and does not handle.
package struct LiveScreen: ~Copyable {
  package enum Event {
    case timeUp
    /// A key or a signal that ends the view.
    case end
  }

  /// `nil` if stdin is not a terminal.
  private var keys: TerminalKeys?

  private static let endingSignals = [ProcessSignal.interrupt, ProcessSignal.terminate, ProcessSignal.hangUp]
  /// Milliseconds after which a signal is noticed at the latest.
  private static let slice: Int32 = 100
  /// `q`, ESC, ^C and ^D.
  private static let endingKeys: [UInt8] = [UInt8(ascii: "q"), 0x1B, 3, 4]

  package init() {
    SignalSet(ProcessSignal.interrupt, ProcessSignal.terminate, ProcessSignal.hangUp).block()
    keys = TerminalKeys(of: StandardStream.input)
    Self.write("\u{1B}[?1049h\u{1B}[?25l")
  }

  deinit {
    Self.write("\u{1B}[?25h\u{1B}[?1049l")
  }

  /// Height in lines; 24 if unknown.
  package var height: Int {
    guard let size = TerminalDevice.size(of: StandardStream.output), size.lines > 0 else { return 24 }
    return size.lines
  }

  /// Shows `lines` in place of the previous lines.
  package func show(_ lines: [String]) {
    // Clear each line after its end, and the screen below the last line, so that nothing flickers.
    Self.write("\u{1B}[H" + lines.joined(separator: "\u{1B}[K\r\n") + "\u{1B}[K\u{1B}[J")
  }

  /// Waits, and returns the event that came.
  package func wait(milliseconds: Int) -> Event {
    var left = Int32(clamping: milliseconds)
    while left > 0 {
      var requests = [PollRequest(.readable, on: keys == nil ? -1 : StandardStream.input)]
      if SystemCalls.poll(&requests, milliseconds: min(left, Self.slice)), isEndTyped { return .end }
      if isEndSignalled { return .end }
      left -= Self.slice
    }
    return .timeUp
  }

  private var isEndTyped: Bool {
    do throws(SystemCallError) {
      guard let typed = try SystemCalls.read(StandardStream.input, upTo: 64), !typed.isEmpty else { return true }
      return typed.contains { Self.endingKeys.contains($0) }
    } catch {
      return true
    }
  }

  private var isEndSignalled: Bool {
    let pending = SignalSet.pending
    return Self.endingSignals.contains { pending.contains($0) }
  }

  private static func write(_ text: String) {
    do throws(SystemCallError) {
      try SystemCalls.writeAll(Array(text.utf8).span, to: StandardStream.output)
    } catch {
      // The terminal is gone; its signal follows.
    }
  }
}
