internal import TapelineLoop

/// A command's processes and their connections, as the looks so far have found them.
struct BypassLook {
  let command: Int32
  let given: [String: String]
  let proxies: [SocketAddress]

  private var connected: [Bypass] = []
  /// Programs that would go past the proxy, but have not been seen to do so yet.
  private var suspects: [Bypass] = []
  private var knownSockets: Set<UInt64> = []
  private var knownProcesses: Set<Program> = []
  private var goPrograms: [String: Bool] = [:]

  /// A process that executes another file counts as another program.
  private struct Program: Hashable {
    let process: RunningProcess
    let executable: String?
  }

  init(command: Int32, given: [String: String], proxies: [SocketAddress]) {
    self.command = command
    self.given = given
    self.proxies = proxies
  }

  /// Takes one more look.
  ///
  /// - Returns: the programs that went past the proxy; if no program did, those that would.
  mutating func take() -> [Bypass] {
    guard let first = RunningProcess(id: command) else { return connected.isEmpty ? suspects : connected }
    let processes = [first] + (first.family ?? RunningProcess.descendants(of: command))
    var holders: [UInt64: RunningProcess] = [:]
    for process in processes {
      suspect(process)
      for socket in process.sockets where !knownSockets.contains(socket) { holders[socket] = process }
    }
    if !holders.isEmpty { assign(TCPSocket.all(seenBy: first.id), to: holders) }
    return connected.isEmpty ? suspects : connected
  }

  private mutating func assign(_ sockets: [TCPSocket], to holders: [UInt64: RunningProcess]) {
    let served = Set(sockets.filter { $0.state == .listen }.map(\.local.port))
    // A socket that is not a TCP connection yet may become one.
    for socket in sockets {
      guard let process = holders[socket.inode], socket.state != .listen, socket.remote.port != 0 else { continue }
      knownSockets.insert(socket.inode)
      let destination = socket.remote.reached
      // Leave out incoming connections, connections to the proxy, and look-ups of names.
      guard !served.contains(socket.local.port), !proxies.contains(destination), destination.port != 53 else { continue }
      let bypass = bypass(process, to: destination)
      if !connected.contains(where: { $0.program == bypass.program && $0.destination == destination }) {
        connected.append(bypass)
      }
    }
  }

  private mutating func suspect(_ process: RunningProcess) {
    guard knownProcesses.insert(Program(process: process, executable: process.executable)).inserted else { return }
    let bypass = bypass(process, to: nil)
    guard bypass.reason != nil else { return }
    // Keep one program for each reason: of a shell and the programs that it started, the latest.
    suspects.removeAll { $0.reason == bypass.reason }
    suspects.append(bypass)
  }

  private mutating func bypass(_ process: RunningProcess, to destination: SocketAddress?) -> Bypass {
    let program = Self.program(process)
    var environment: [String: String] = [:]
    for entry in process.environment() {
      guard let separator = entry.firstIndex(of: "=") else { continue }
      environment[String(entry[..<separator])] = String(entry[entry.index(after: separator)...])
    }
    return Bypass(
      program: program, id: process.id, destination: destination,
      reason: Bypass.Reason(
        program: program, isGo: isGo(process), environment: environment, given: given, destination: destination))
  }

  private mutating func isGo(_ process: RunningProcess) -> Bool {
    guard let path = process.executable else { return false }
    if let known = goPrograms[path] { return known }
    // Read through the process, as the path may belong to another root directory.
    let isGo = GoProgram.isOne("/proc/\(process.id)/exe")
    goPrograms[path] = isGo
    return isGo
  }

  private static func program(_ process: RunningProcess) -> String {
    let called = process.arguments(limit: 4_096).first?.split(separator: "/").last.map(String.init) ?? ""
    return called.isEmpty ? process.name : called
  }
}
