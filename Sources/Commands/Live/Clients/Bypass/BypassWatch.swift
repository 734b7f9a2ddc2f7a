internal import Synchronization
package import TapelineLoop
package import TapelineSystem
internal import TapelineTime

/// Watches the connections of the command's processes as long as the command runs, so that a recording can say what it missed.
/// Runs on a thread of its own.
///
/// Where the kernel tells of every call of connect(2), nothing is missed (`ConnectWatch`). Elsewhere, looks follow each other as
/// closely as possible without taking more than a sixteenth of a core in the first seconds, and become rarer and rarer
/// afterwards.
package final class BypassWatch: Sendable {
  private let proxies: [SocketAddress]
  private let found = Mutex(BypassReport())
  private let thread = Mutex<SystemThread?>(nil)
  /// Rings when the watch is to end; negative if there is none.
  private let bell: Int32

  private static let firstPause = Duration.milliseconds(3)
  private static let closely = Duration.seconds(5)
  private static let longestPause = Duration.milliseconds(500)
  private static let leastShareOfRest = 15

  /// - Parameter proxies: connections to these addresses do not bypass the proxy.
  package init(proxies: [SocketAddress]) {
    self.proxies = proxies
    do throws(SystemCallError) {
      bell = try SystemCalls.makeBell()
    } catch {
      bell = -1
    }
  }

  deinit {
    if bell >= 0 { SystemCalls.discard(bell) }
  }

  /// - Parameters:
  ///   - command: the process of the command, and the descriptor that tells of its calls; the watch's from now on.
  ///   - given: the variables that we have given it.
  package func start(on command: ProgramStart.Watched, given: [(name: String, value: String)]) {
    let given = Dictionary(given) { $1 }
    do throws(SystemCallError) {
      guard bell >= 0 else { throw SystemCallError(code: ErrorCode.noBuffers, call: .eventfd) }
      let started = try SystemThread(name: "tapeline-watch", takesSignals: false) { [self] in
        if let calls = command.calls {
          var watch = ConnectWatch(calls, bell: bell, given: given, proxies: proxies)
          let report = watch.run()
          found.withLock { $0 = report }
          watch.finish()
        } else {
          look(BypassLook(command: command.child.id, given: given, proxies: proxies))
        }
      }
      thread.withLock { $0 = started }
    } catch {
      // Nobody watches, and the calls must not wait for us.
      guard let calls = command.calls else { return }
      ConnectGuard.takeOver(calls)
      SystemCalls.discard(calls)
    }
  }

  /// A crash leaves these to the next start.
  package static func keep(_ given: [(name: String, value: String)]) {
    ProcessRestart.keep(given.map { "\($0.name)=\($0.value)" }.joined(separator: separator), as: .commandVariables)
  }

  private static let separator = "\u{0}"

  /// Watches the command that was started before a crash. What was found until then is gone.
  package func goOn(with command: ChildIdentifier) {
    let entries = (ProcessRestart.text(.commandVariables) ?? "").split(separator: Self.separator)
    let given = entries.map { entry in
      let end = entry.firstIndex(of: "=") ?? entry.endIndex
      return (name: String(entry[..<end]), value: String(entry[end...].dropFirst()))
    }
    start(
      on: ProgramStart.Watched(child: command, calls: ProcessRestart.descriptor(ConnectWatch.keptName)), given: given)
  }

  private func look(_ first: BypassLook) {
    var look = first
    var brief = briefConnections()
    var pause = Self.firstPause
    let beginning = MonotonicInstant.now
    while true {
      let start = MonotonicInstant.now
      let before = SystemClock.threadNanoseconds
      look.take()
      brief?.take()
      let report = look.report
      found.withLock { $0 = report }
      // A look's time on a core counts, not its duration: on a busy machine, rests in proportion to that would miss connections.
      let cost = Duration.nanoseconds(SystemClock.threadNanoseconds - before)
      let rest = max(pause, cost * Self.leastShareOfRest)
      var requests = [PollRequest(.readable, on: bell)]
      if SystemCalls.poll(&requests, milliseconds: Int32(rest.nanoseconds / 1_000_000)) { break }
      if start.duration(since: beginning) > Self.closely { pause = min(pause + pause / 4, Self.longestPause) }
    }
    let left = brief?.left(besides: look.report.connections) ?? []
    found.withLock { $0.unattributed = left }
  }

  /// `nil` where the kernel tells of no ends.
  private func briefConnections() -> BriefConnections? {
    do throws(SystemCallError) {
      return try BriefConnections(proxies: proxies)
    } catch {
      return nil
    }
  }

  /// Ends the watch and returns what it found. Call it once, after `start` or without it.
  package func stop() -> BypassReport {
    if bell >= 0 {
      do throws(SystemCallError) {
        try SystemCalls.ring(bell)
      } catch {
        preconditionFailure("an eventfd failed: \(error)")
      }
    }
    thread.withLock { $0.take() }?.join()
    return found.withLock { $0 }
  }
}
