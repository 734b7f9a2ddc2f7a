internal import TapelineTime

/// Asks the kernel every 100 ms about the connections of a loop on which bytes move. Loop-bound.
///
/// One timer for all of them, which runs while there are such connections. A tick asks about at most 256, so that a loop spends
/// less than half a percent of a processor on it whatever it carries; with more connections, each is asked less often.
final class TCPSampler {
  private unowned let loop: EventLoop
  private var channels: [Channel] = []
  private var timer: Timer?
  /// Where the next tick goes on.
  private var cursor = 0

  private static let interval = Duration.milliseconds(100)
  var questionsPerTick = 256

  init(loop: EventLoop) {
    self.loop = loop
  }

  /// Whether nothing moves.
  var isIdle: Bool { channels.isEmpty }

  /// Bytes begin to move on `channel`.
  func add(_ channel: Channel) {
    channel.samplerPlace = channels.count
    channels.append(channel)
    guard timer == nil else { return }
    let timer = Timer(loop: loop) { [unowned self] in tick(at: .now) }
    self.timer = timer
    timer.start(after: Self.interval)
  }

  func remove(_ channel: Channel) {
    guard let place = channel.samplerPlace else { return }
    channel.samplerPlace = nil
    guard let last = channels.popLast(), last !== channel else { return }
    channels[place] = last
    last.samplerPlace = place
  }

  /// The loop ends: there is nothing to ask any more.
  func end() {
    channels = []
    timer = nil
  }

  func tick(at now: MonotonicInstant) {
    let count = min(channels.count, questionsPerTick)
    let asked = (0..<count).map { channels[(cursor + $0) % channels.count] }
    cursor = channels.count > count ? (cursor + count) % channels.count : 0
    for channel in asked where !channel.takeSample(at: now) { remove(channel) }
    if channels.isEmpty { timer = nil } else { timer?.start(after: Self.interval) }
  }
}
