import TapelineTime
import Testing

@testable import TapelineLoop

extension EventLoop {
  /// Runs the loop on the test's thread until something stops it; fails the test when nothing does.
  func serve(withinSeconds seconds: Int64 = 20, _ location: SourceLocation = #_sourceLocation) {
    let guardian = Timer(loop: self) {
      Issue.record("the loop was not stopped in time", sourceLocation: location)
      self.stop()
    }
    guardian.start(after: .seconds(seconds))
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
