internal import TapelineLoop
internal import TapelineSystem

/// This program, started anew on the way to becoming the command of `run --all`: it makes a network in which every destination
/// leads to the recording, passes the sockets out, leaves a guard behind, gives up its privileges, and executes the command.
///
/// It has one thread, as the kernel demands of a process that enters a user namespace. Descriptors that it makes end with the
/// command's execution.
package struct NetworkLauncher {
  /// The end of the connection to the process that started us.
  private let channel: Int32
  /// The guard's end of the pipe that ends with that process.
  private let lifeline: Int32

  private let command: [String]
  /// Whether a link holds all packets.
  private let isLinked: Bool

  /// Reads `NAME launch-in-network CHANNEL LIFELINE COMMAND…`; `nil` for other arguments, and if these descriptors are not there.
  package init?(arguments: [String]) {
    guard arguments.count > 4, [Self.commandName, Self.linkedName].contains(arguments[1]), let channel = Int32(arguments[2]),
      let lifeline = Int32(arguments[3]), [channel, lifeline].allSatisfy({ SystemCalls.exists("/proc/self/fd/\($0)") })
    else { return nil }
    self.channel = channel
    self.lifeline = lifeline
    command = Array(arguments[4...])
    isLinked = arguments[1] == Self.linkedName
  }

  /// The arguments that start it for `command`, after the program's name; the other end is `LauncherMessage`'s reader.
  static func arguments(channel: Int32, lifeline: Int32, isLinked: Bool = false, command: [String]) -> [String] {
    [isLinked ? linkedName : commandName, "\(channel)", "\(lifeline)"] + command
  }

  private static let commandName = "launch-in-network"
  private static let linkedName = "launch-in-linked-network"
  /// As on most links.
  private static let linkPacketSize: UInt32 = 1_500
  private static let linkBuffer: Int32 = 8 << 20

  /// Returns only if the command is not executed, and in the guard.
  package func run() {
    do throws(StepFailure) {
      let inherited = inheritedSockets
      // The command must not inherit them.
      try step(.sockets) { () throws(SystemCallError) in
        try SystemCalls.closeOnExecute(channel)
        try SystemCalls.closeOnExecute(lifeline)
      }
      let sources = Self.sources
      try enterNamespace()
      try step(.routes) { () throws(SystemCallError) in
        try Self.configure(
          NamespaceRoutes.messages(sources: sources, packetSize: isLinked ? Self.linkPacketSize : nil), isNetfilter: false)
      }
      try passOut(inherited: inherited)
      let guardian = NetworkGuard(lifeline: lifeline)
      if try step(.guardian, guardian.splitOff) { return guardian.stand() }
      try giveUpPrivileges()
    } catch {
      return say(.failed(error.step, code: error.code))
    }
    say(.notExecuted(code: ProgramStart.become(command).code))
  }

  private struct StepFailure: Error {
    let step: NetworkStep
    let code: Int32
  }

  private func step<Result>(
    _ step: NetworkStep, _ body: () throws(SystemCallError) -> Result
  ) throws(StepFailure) -> Result {
    do throws(SystemCallError) {
      return try body()
    } catch {
      throw StepFailure(step: step, code: error.code)
    }
  }

  /// If nobody listens any more, there is nobody to tell.
  private func say(_ message: LauncherMessage) {
    do throws(SystemCallError) {
      try SystemCalls.writeAll(message.bytes.span, to: channel)
    } catch {
      return
    }
  }

  // MARK: The network

  /// How many sockets of another network the command will have, by which it goes past the recording.
  private var inheritedSockets: Int {
    ProcFile.numbers(in: "/proc/self/fd", limit: Self.descriptorLimit)
      .count { $0 != channel && $0 != lifeline && SystemCalls.isNetworkSocket($0) }
  }

  private static let descriptorLimit = 4096

  /// The addresses that this machine uses toward others, so that a program sees its usual address, and IPv6 only where there is
  /// IPv6.
  private static var sources: [SocketAddress] {
    // Addresses of documentation (RFC 5737, RFC 3849): the way to them is the usual way out.
    let elsewhere = ["192.0.2.1", "2001:db8::1"].compactMap { SocketAddress(literal: $0, port: 1)?.source }
    let found = elsewhere.filter { !$0.isLoopback }
    guard !found.contains(where: { $0.family == .ipv4 }), let dummy = SocketAddress(literal: "192.0.0.8", port: 0) else {
      return found
    }
    // RFC 7600 4.8: the source of a machine that has none.
    return [dummy] + found
  }

  /// A privileged user stays itself. For anybody else, only a new user namespace has an administrator.
  private func enterNamespace() throws(StepFailure) {
    if CurrentUser.effectiveID == 0 {
      do throws(SystemCallError) {
        return try SystemCalls.leaveNetwork(withUser: false)
      } catch {
        // A container's root may not: it is treated like other users.
      }
    }
    let (user, group) = (CurrentUser.effectiveID, CurrentUser.groupID)
    try step(.namespace) { () throws(SystemCallError) in try SystemCalls.leaveNetwork(withUser: true) }
    try step(.users) { () throws(SystemCallError) in
      try Self.write("deny", to: "/proc/self/setgroups")
      try Self.write("\(user) \(user) 1", to: "/proc/self/uid_map")
      try Self.write("\(group) \(group) 1", to: "/proc/self/gid_map")
    }
  }

  private static func write(_ text: String, to path: String) throws(SystemCallError) {
    let file = try SystemCalls.open(path, .writeOnly)
    defer { SystemCalls.discard(file) }
    try SystemCalls.writeAll(Array(text.utf8).span, to: file)
  }

  /// Sends messages to the kernel and waits for its answers.
  private static func configure(_ messages: [NetlinkMessage], isNetfilter: Bool) throws(SystemCallError) {
    let socket = try SystemCalls.makeNetlinkSocket(isNetfilter: isNetfilter)
    defer { SystemCalls.discard(socket) }
    // The packet filter takes its messages at once; routes are independent of each other.
    try configure(messages, on: socket, isOneDatagram: isNetfilter)
  }

  private static func configure(
    _ messages: [NetlinkMessage], on socket: Int32, isOneDatagram: Bool
  ) throws(SystemCallError) {
    let datagrams = messages.enumerated().map { $1.bytes(sequence: UInt32($0 + 1)) }
    for datagram in isOneDatagram ? [datagrams.flatMap(\.self)] : datagrams {
      try SystemCalls.writeAll(datagram.span, to: socket)
    }
    var missing = messages.count(where: \.isAcknowledged)
    while missing > 0 {
      guard let answer = try SystemCalls.read(socket, upTo: answerLimit) else { continue }
      for code in NetlinkReply.codes(in: answer) {
        guard code == 0 else { throw SystemCallError(code: code, call: .netlink) }
        missing -= 1
      }
    }
  }

  /// An answer to a failure contains the message.
  private static let answerLimit = 65_536

  /// Sets the packet filter. Answers the queue in which the packets wait that open connections; `nil` if this kernel has none.
  private static func filter(toward listeners: [SocketAddress], isLinked: Bool) throws(SystemCallError) -> Int32? {
    if let queue = packetQueue(PacketQueueMessage.opening) {
      for expression in PacketRules.QueueExpression.allCases {
        do throws(SystemCallError) {
          try configure(
            PacketRules.messages(listeners: listeners, queue: expression, isLinked: isLinked), isNetfilter: true)
          return queue
        } catch {
          // The kernel has taken none of them.
        }
      }
      SystemCalls.discard(queue)
    }
    try configure(PacketRules.messages(listeners: listeners), isNetfilter: true)
    return nil
  }

  private static func packetQueue(_ opening: [NetlinkMessage]) -> Int32? {
    do throws(SystemCallError) {
      let socket = try SystemCalls.makeNetlinkSocket(isNetfilter: true)
      do throws(SystemCallError) {
        try configure(opening, on: socket, isOneDatagram: false)
        return socket
      } catch {
        SystemCalls.discard(socket)
        return nil
      }
    } catch {
      return nil
    }
  }

  // MARK: What leaves it

  private func passOut(inherited: Int) throws(StepFailure) {
    var parts: [(part: NetworkPart, descriptor: Int32)] = []
    var listeners: [SocketAddress] = []
    for (family, listener, names) in [
      (SocketAddress.Family.ipv4, NetworkPart.listenerIPv4, NetworkPart.namesIPv4), (.ipv6, .listenerIPv6, .namesIPv6),
    ] {
      do throws(SystemCallError) {
        let (socket, address) = try NamespaceSockets.listener(family)
        parts.append((listener, socket))
        listeners.append(address)
        parts.append((names, try NamespaceSockets.nameQuestions(family)))
        guard isLinked else { continue }
        for (_, socket) in parts { try SystemCalls.setMark(socket, PacketRules.linkMark) }
      } catch {
        // A kernel without IPv6 needs none.
        guard family == .ipv4 else { continue }
        throw StepFailure(step: .sockets, code: error.code)
      }
    }
    if isLinked { parts.append((.link, try linkQueues())) }
    if let queue = try step(
      .rules, { () throws(SystemCallError) in try Self.filter(toward: listeners, isLinked: isLinked) })
    {
      parts.append((.packets, queue))
    } else if isLinked {
      throw StepFailure(step: .link, code: ErrorCode.notSupported)
    }
    parts.append((.diagnostics, try step(.sockets, SystemCalls.makeDiagnosticSocket)))
    for (part, path) in [
      (NetworkPart.counters, "/proc/net/snmp"), (.countersIPv6, "/proc/net/snmp6"), (.countersOfGroups, "/proc/net/netstat"),
    ] where SystemCalls.exists(path) {
      parts.append((part, try step(.counters) { () throws(SystemCallError) in try SystemCalls.open(path) }))
    }
    let message = LauncherMessage.ready(parts.map(\.part), inherited: inherited)
    try step(.sockets) { () throws(SystemCallError) in
      try SystemCalls.send(message.bytes, with: parts.map(\.descriptor), to: channel)
    }
  }

  /// The queues of a link, which are there before the rules that fill them.
  private func linkQueues() throws(StepFailure) -> Int32 {
    guard let queues = Self.packetQueue(PacketLinkMessage.opening) else {
      throw StepFailure(step: .link, code: ErrorCode.notSupported)
    }
    try step(.link) { () throws(SystemCallError) in
      try SystemCalls.setReceiveBuffer(queues, size: Self.linkBuffer)
    }
    return queues
  }

  // MARK: Privileges

  /// Capabilities (capabilities(7)) with which a privileged command could leave its network, change it, or take sockets of
  /// processes outside, of which ours have more capabilities than it: CAP_NET_ADMIN, CAP_SYS_PTRACE, CAP_SYS_ADMIN.
  private static let forbidden: [Int32] = [12, 19, 21]

  private func giveUpPrivileges() throws(StepFailure) {
    try step(.privileges) { () throws(SystemCallError) in
      try SystemCalls.clearAmbientCapabilities()
      for capability in Self.forbidden { try SystemCalls.dropCapability(capability) }
    }
  }
}
