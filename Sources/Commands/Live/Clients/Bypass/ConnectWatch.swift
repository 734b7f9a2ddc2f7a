internal import TapelineLoop
internal import TapelineSystem

/// Takes the calls of connect(2) of a command, permits each, and keeps account of those that go past the proxy. On the watch's
/// thread.
struct ConnectWatch: ~Copyable {
  private let calls: Int32
  private let bell: Int32
  private let proxies: [SocketAddress]
  private var programs: BypassPrograms
  private var ledger = ConnectLedger()
  /// From the first call past the proxy on, which waits meanwhile.
  private var ended: EndedConnections?
  /// Whether no process is left whose calls would wait.
  private var isOver = false

  /// The kernel tells of an end a moment after it: at most this long, in milliseconds.
  private static let settling: Int32 = 20

  /// - Parameter calls: tells of the calls; the watch's from now on.
  init(_ calls: Int32, bell: Int32, given: [String: String], proxies: [SocketAddress]) {
    self.calls = calls
    self.bell = bell
    self.proxies = proxies
    programs = BypassPrograms(given: given)
    ProcessRestart.keep(calls, as: Self.keptName)
    ConnectCall.permitKept(on: calls)
  }

  /// The descriptor that tells of the calls outlives a crash under this name: without it, they would fail.
  package static let keptName = "calls"

  /// Watches until the bell rings.
  mutating func run() -> BypassReport {
    while true {
      var requests = [PollRequest(.readable, on: bell), PollRequest(.readable, on: isOver ? -1 : calls)]
      if let descriptor = ended?.descriptor { requests.append(PollRequest(.readable, on: descriptor)) }
      SystemCalls.poll(&requests, milliseconds: nil)
      if requests[1].isHungUp { isOver = true } else if requests[1].isReady { takeCall() }
      takeEnds()
      if requests[0].isReady { break }
    }
    settle()
    return ledger.report
  }

  /// Lets go of the calls. Programs that outlive the command go on to make them: somebody has to permit them.
  consuming func finish() {
    ProcessRestart.forget(Self.keptName)
    if !isOver { ConnectGuard.takeOver(calls) }
    SystemCalls.discard(calls)
  }

  private mutating func takeCall() {
    do throws(SystemCallError) {
      guard let call = try ConnectCall(on: calls) else { return }
      defer { call.permit(on: calls) }
      // Leave out connections to the proxy, and look-ups of names.
      guard let destination = call.destination, !proxies.contains(destination), destination.port != 53, call.isTCP,
        let caller = call.caller
      else { return }
      if ledger.isEmpty { watchEnds() }
      ledger.note(programs.bypass(caller, to: destination, connections: 0), to: destination)
    } catch {
      // Interrupted by the caller's end.
    }
  }

  private mutating func watchEnds() {
    do throws(SystemCallError) {
      ended = try EndedConnections()
    } catch {
      ledger.knowsOutcomes = false
    }
  }

  private mutating func takeEnds() {
    var found: [EndedConnections.Connection] = []
    ended?.forEach { found.append($0) }
    for connection in found { ledger.note(connectionTo: connection.remote, cameAbout: connection.wasConnected) }
    if ended?.isComplete == false { ledger.knowsOutcomes = false }
  }

  /// Takes into account what is still connected, and waits for ends that are on their way.
  private mutating func settle() {
    guard !ledger.isEmpty else { return }
    takeEnds()
    for socket in TCPSocket.all() where socket.isConnected {
      ledger.note(connectionTo: socket.remote.reached, cameAbout: true)
    }
    var left = Self.settling
    while left > 0, !ledger.isSettled, let descriptor = ended?.descriptor {
      var requests = [PollRequest(.readable, on: descriptor)]
      SystemCalls.poll(&requests, milliseconds: 1)
      takeEnds()
      left -= 1
    }
  }
}

/// A process that permits the calls of connect(2) of programs that outlive their recording, until the last of them has ended: the
/// kernel would let the calls fail. It is nobody's child.
package struct ConnectGuard {
  private let calls: Int32

  /// Reads `NAME permit-connections DESCRIPTOR`; `nil` for other arguments, and if the descriptor is not there.
  package init?(arguments: [String]) {
    guard arguments.count == 3, arguments[1] == Self.commandName, let calls = Int32(arguments[2]),
      SystemCalls.exists("/proc/self/fd/\(calls)")
    else { return nil }
    self.calls = calls
  }

  private static let commandName = "permit-connections"
  /// Not ours: somebody who kills programs of our name must not kill the guard before the others.
  private static let name = "connect-guard"

  /// Starts a guard, which has the descriptor from now on.
  static func takeOver(_ calls: Int32) {
    var program = ProgramStart(
      ["/proc/self/exe", commandName, "\(calls)"], environment: ProcessEnvironment.entries())
    program.isLookedUp = false
    program.streams = [.nothing, .nothing, .nothing]
    program.handedOver = [calls]
    do throws(SystemCallError) {
      _ = try program.start().collect()
    } catch {
      // Without processes to be had, the programs that are left get an error for their next connection.
    }
  }

  /// The guard's whole life.
  package func stand() {
    do throws(SystemCallError) {
      guard try SystemCalls.splitOff(keeping: calls, named: Self.name) else { return }
      while true {
        var requests = [PollRequest(.readable, on: calls)]
        SystemCalls.poll(&requests, milliseconds: nil)
        guard !requests[0].isHungUp else { return }
        try ConnectCall(on: calls)?.permit(on: calls)
      }
    } catch {
      return
    }
  }
}
