import TapelineTime
import Testing

@testable import TapelineLoop

extension EventLoop {
  /// Runs the loop on the test's thread until something stops it; fails the test when nothing does.
  ///
  /// The limit counts ticks of the loop, a minute of them: where the machine stands still, or is busy with others, so do they.
  func serve(_ location: SourceLocation = #_sourceLocation) {
    var ticks = 600
    let guardian = RepeatingTimer(loop: self, every: .milliseconds(100)) {
      ticks -= 1
      guard ticks == 0 else { return }
      Issue.record("nothing stopped the loop", sourceLocation: location)
      self.stop()
    }
    run()
    guardian.cancel()
  }

  /// Lets everything that is ready happen: returns after a turn in which the loop has looked at its descriptors.
  func settle(turns: Int = 5) {
    var left = turns
    var timer: Timer?
    timer = Timer(loop: self) {
      left -= 1
      if left == 0 { self.stop() } else { timer?.start(after: .milliseconds(1)) }
    }
    timer?.start(after: .zero)
    serve()
    timer = nil
  }
}
