@testable import TapelineLoop

/// A timer that goes on until it is cancelled: a far end's own clockwork.
final class RepeatingTimer {
  private var timer: Timer?

  init(loop: EventLoop, _ body: @escaping () -> Void) {
    timer = Timer(loop: loop) { [unowned self] in
      body()
      timer?.start(afterNanoseconds: 200_000)
    }
    timer?.start(afterNanoseconds: 0)
  }

  func cancel() {
    timer = nil
  }
}

extension Timer {
  static func repeating(on loop: EventLoop, _ body: @escaping () -> Void) -> RepeatingTimer {
    RepeatingTimer(loop: loop, body)
  }
}
