@testable import TapelineLoop

/// A timer that goes on until it is cancelled: a far end's own clockwork.
final class RepeatingTimer {
  private var timer: Timer?

  init(loop: EventLoop, every interval: Duration = .microseconds(200), _ body: @escaping () -> Void) {
    timer = Timer(loop: loop) { [unowned self] in
      body()
      timer?.start(after: interval)
    }
    timer?.start(after: .zero)
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
