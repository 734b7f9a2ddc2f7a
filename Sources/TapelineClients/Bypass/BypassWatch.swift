internal import Dispatch
internal import Synchronization
package import TapelineLoop
internal import TapelineSystem
internal import TapelineTime

/// Watches the connections of the command's processes, so that a recording of nothing can say why. Runs on a thread of its own,
/// and only as long as nothing has come to the proxy.
///
/// Connections are short: in the first seconds, looks follow each other as closely as possible without taking more than a
/// sixteenth of a core. Afterwards, looks become rarer and rarer.
package final class BypassWatch: Sendable {
  private let proxies: [SocketAddress]
  private let isOver: @Sendable () -> Bool
  private let found = Mutex<[Bypass]>([])
  private let stopped = DispatchSemaphore(value: 0)
  private let thread = Mutex<SystemThread?>(nil)

  private static let firstPause = Duration.milliseconds(3)
  private static let closely = Duration.seconds(5)
  private static let longestPause = Duration.milliseconds(500)
  private static let leastShareOfRest = 15
  /// Nobody reads more than this.
  private static let mostFound = 50

  /// - Parameters:
  ///   - proxies: connections to these addresses do not bypass the proxy.
  ///   - isOver: whether somebody has used the proxy.
  package init(proxies: [SocketAddress], isOver: @escaping @Sendable () -> Bool) {
    self.proxies = proxies
    self.isOver = isOver
  }

  /// - Parameters:
  ///   - command: the process of the command.
  ///   - given: the variables that we have given it.
  package func start(on command: Int32, given: [(name: String, value: String)]) {
    let first = BypassLook(command: command, given: Dictionary(given) { $1 }, proxies: proxies)
    do throws(SystemCallError) {
      let started = try SystemThread(name: "tapeline-watch", takesSignals: false) { [self] in watch(first) }
      thread.withLock { $0 = started }
    } catch {
      // Without the thread, a recording of nothing cannot say why.
    }
  }

  private func watch(_ first: BypassLook) {
    var look = first
    var pause = Self.firstPause
    let beginning = MonotonicInstant.now
    while !isOver() {
      let start = MonotonicInstant.now
      let before = SystemClock.threadNanoseconds
      let bypasses = look.take()
      found.withLock { $0 = Array(bypasses.prefix(Self.mostFound)) }
      // What a look takes of a core, not how long: on a busy machine, rests in proportion to the latter would miss connections.
      let cost = Duration.nanoseconds(SystemClock.threadNanoseconds - before)
      let rest = max(pause, cost * Self.leastShareOfRest)
      guard stopped.wait(timeout: .now() + .nanoseconds(Int(rest.nanoseconds))) == .timedOut else { return }
      if start.duration(since: beginning) > Self.closely { pause = min(pause + pause / 4, Self.longestPause) }
    }
  }

  /// Ends the watch and returns what it found. Call it once, after `start` or without it.
  package func stop() -> [Bypass] {
    stopped.signal()
    thread.withLock { $0.take() }?.join()
    return found.withLock { $0 }
  }
}
