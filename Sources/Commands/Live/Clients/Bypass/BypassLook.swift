internal import TapelineLoop

/// A command's processes and their connections, as the looks so far have found them.
struct BypassLook {
  let command: Int32
  let proxies: [SocketAddress]

  private var programs: BypassPrograms
  private(set) var report = BypassReport()
  private var knownSockets: Set<UInt64> = []
  private var knownProcesses: Set<Program> = []

  /// Nobody reads more than this.
  private static let mostFound = 1_000

  /// A process that executes another file counts as another program.
  private struct Program: Hashable {
    let process: RunningProcess
    let executable: String?
  }

  init(command: Int32, given: [String: String], proxies: [SocketAddress]) {
    self.command = command
    self.proxies = proxies
    programs = BypassPrograms(given: given)
  }

  /// Takes one more look.
  mutating func take() {
    guard let first = RunningProcess(id: command) else { return }
    let processes = [first] + (first.family ?? RunningProcess.descendants(of: command))
    var holders: [UInt64: RunningProcess] = [:]
    for process in processes {
      suspect(process)
      for socket in process.sockets where !knownSockets.contains(socket) { holders[socket] = process }
    }
    if !holders.isEmpty { assign(TCPSocket.all(seenBy: first.id), to: holders) }
  }

  private mutating func assign(_ sockets: [TCPSocket], to holders: [UInt64: RunningProcess]) {
    let served = Set(sockets.filter { $0.state == .listen }.map(\.local.port))
    // A socket that is not a TCP connection yet may become one.
    for socket in sockets {
      guard let process = holders[socket.inode], socket.isConnected else { continue }
      knownSockets.insert(socket.inode)
      let destination = socket.remote.reached
      // Leave out incoming connections, connections to the proxy, and look-ups of names.
      guard !served.contains(socket.local.port), !proxies.contains(destination), destination.port != 53 else { continue }
      add(programs.bypass(process, to: destination, connections: 1))
    }
  }

  private mutating func add(_ bypass: Bypass) {
    let known = report.connections.firstIndex { $0.program == bypass.program && $0.destination == bypass.destination }
    if let known {
      report.connections[known].connections += 1
    } else if report.connections.count < Self.mostFound {
      report.connections.append(bypass)
    }
  }

  private mutating func suspect(_ process: RunningProcess) {
    guard knownProcesses.insert(Program(process: process, executable: process.executable)).inserted else { return }
    let bypass = programs.bypass(process, to: nil, connections: 0)
    guard bypass.reason != nil else { return }
    // Keep one program for each reason: of a shell and the programs that it started, the latest.
    report.suspects.removeAll { $0.reason == bypass.reason }
    report.suspects.append(bypass)
  }
}

extension TCPSocket {
  /// Whether the other end has answered; its process may have closed it.
  var isConnected: Bool {
    switch state {
    case .established, .finWait1, .finWait2, .close, .closeWait, .lastAck, .closing: remote.port != 0
    case .synSent, .synReceived, .newSynReceived, .timeWait, .listen: false
    }
  }
}
