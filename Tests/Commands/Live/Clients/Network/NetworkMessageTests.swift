import Testing

@testable import TapelineLive
@testable import TapelineLoop

/// What is said to the kernel, and by the launcher, byte for byte.
@Suite("Messages for a command's network") struct NetworkMessageTests {
  @Test("A netlink message is padded to words, and says its length")
  func netlink() {
    let message = NetlinkMessage(
      type: 16, flags: NetlinkMessage.acknowledged, fixed: [1, 2], [NetlinkAttribute(3, [9]), NetlinkAttribute(1, "lo")])
    let expected: [UInt8] =
      NetlinkMessage.native(UInt32(36)) + NetlinkMessage.native(UInt16(16)) + NetlinkMessage.native(UInt16(5))
      + NetlinkMessage.native(UInt32(7)) + [0, 0, 0, 0] + [1, 2, 0, 0] + NetlinkMessage.native(UInt16(5))
      + NetlinkMessage.native(UInt16(3)) + [9, 0, 0, 0] + NetlinkMessage.native(UInt16(7)) + NetlinkMessage.native(UInt16(1))
      + [0x6C, 0x6F, 0, 0]
    #expect(message.bytes(sequence: 7) == expected)
  }

  @Test("The kernel's answers are read one by one; a broken one ends the reading")
  func replies() {
    func answer(_ code: Int32) -> [UInt8] {
      NetlinkMessage(type: 2, flags: 0, fixed: NetlinkMessage.native(-code) + [UInt8](repeating: 0, count: 16)).bytes(sequence: 1)
    }
    #expect(NetlinkReply.codes(in: answer(0) + answer(17) + answer(0)) == [0, 17, 0])
    let other = NetlinkMessage(type: 3, flags: 0, fixed: [1, 2, 3, 4]).bytes(sequence: 1)
    #expect(NetlinkReply.codes(in: other + answer(1)) == [1])
    #expect(NetlinkReply.codes(in: answer(1) + answer(2).dropLast(8)) == [1])
    #expect(NetlinkReply.codes(in: [0, 0, 0, 0]) == [])
  }

  @Test("Every family has its address, its route and its three rules")
  func rules() throws {
    let sources = try [
      #require(SocketAddress(literal: "192.0.0.8", port: 0)), #require(SocketAddress(literal: "fd00::8", port: 0)),
    ]
    #expect(NamespaceRoutes.messages(sources: sources).map(\.type) == [16, 20, 24, 20, 24])
    let rules = PacketRules.messages(listeners: sources.map { $0.with(port: 4321) })
    #expect(rules.map(\.type) == [16, 0xA00, 0xA03] + [UInt16](repeating: 0xA06, count: 6) + [17])
    // The batch itself is not acknowledged.
    #expect(rules.filter { !$0.isAcknowledged }.map(\.type) == [16, 17])
    let port = NetlinkMessage.network(UInt16(4321))
    #expect(rules.filter { $0.content.firstRange(of: port) != nil }.count == 2)
  }

  @Test(
    "Where packets wait, a chain before the others has the rules for it, and marks are answered", arguments: ["queue", "target"])
  func waiting(expression: String) throws {
    let listeners = try [
      #require(SocketAddress(literal: "0.0.0.0", port: 4321)), #require(SocketAddress(literal: "::", port: 4321)),
    ]
    let rules = PacketRules.messages(listeners: listeners, queue: expression == "queue" ? .native : .compatible)
    #expect(rules.map(\.type) == [16, 0xA00, 0xA03, 0xA03] + [UInt16](repeating: 0xA06, count: 4 + 3 + 6) + [17])
    func count(_ text: String) -> Int {
      rules.count { $0.type == 0xA06 && $0.content.firstRange(of: Array(text.utf8) + [0]) != nil }
    }
    #expect(count(expression) == 2)
    #expect(count("waiting") == 4)
    #expect(count("reject") == 3)
  }

  @Test("The launcher's messages are read as they were written")
  func launcher() {
    let messages: [LauncherMessage] = [
      .ready(NetworkPart.allCases, inherited: 0), .ready([], inherited: 255), .failed(.namespace, code: 28),
      .failed(.privileges, code: 1),
      .notExecuted(code: 2),
    ]
    for message in messages {
      #expect(LauncherMessage(message.bytes) == message)
      #expect(message.bytes.count <= LauncherMessage.limit)
    }
    for bytes: [UInt8] in [[], [0], [0x52], [0x52, 0, 0], [0x46, 0, 0], [0x46, 99, 0, 0, 0, 1], [0x58, 1]] {
      #expect(LauncherMessage(bytes) == nil)
    }
  }

  @Test(
    "A system that forbids networks is told apart by its settings",
    arguments: [
      ("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n", "kernel.apparmor_restrict_unprivileged_userns is 1"),
      ("/proc/sys/kernel/unprivileged_userns_clone", "0\n", "kernel.unprivileged_userns_clone is 0"),
      ("/proc/sys/user/max_user_namespaces", "0\n", "user.max_user_namespaces is 0"),
      ("/proc/sys/user/max_net_namespaces", "0\n", "user.max_net_namespaces is 0"),
    ])
  func settings(path: String, value: String, text: String) {
    let refusal = NetworkRefusal(step: .namespace, code: 28)
    let forbidden = refusal.text { $0 == path ? Array(value.utf8) : nil }
    #expect(forbidden.hasPrefix("cannot give the command a network of its own: No space left on device; \(text)"))
    #expect(refusal.text { _ in Array("7\n".utf8) } == "cannot give the command a network of its own: No space left on device")
  }

  @Test("Where no setting forbids networks, a filter of system calls or a missing module is named")
  func advice() {
    let status = Array("Name:\ttapeline\nNoNewPrivs:\t0\nSeccomp:\t2\nSeccomp_filters:\t1\n".utf8)
    func text(_ step: NetworkStep) -> String {
      NetworkRefusal(step: step, code: 1).text { $0 == "/proc/self/status" ? status : nil }
    }
    #expect(
      text(.namespace).hasSuffix(
        "; a seccomp filter may forbid it, as those of containers do (docker run --security-opt seccomp=unconfined permits it)"))
    #expect(text(.rules).hasSuffix("; the kernel needs nf_tables with tproxy and socket (modules nft_tproxy and nft_socket)"))
    #expect(text(.routes) == "cannot set the routes of the command's network: Operation not permitted")
  }

  @Test("The kernel's counters of both families are added up")
  func counters() {
    let old = """
      Icmp: InMsgs OutEchos
      Icmp: 5 2
      Tcp: RtoAlgorithm ActiveOpens PassiveOpens AttemptFails
      Tcp: 1 7 6 1
      Udp: InDatagrams NoPorts
      Udp: 4 3
      UdpLite: InDatagrams NoPorts
      UdpLite: 0 2

      """
    let new = "Icmp6OutEchos                  \t1\nUdp6NoPorts                    \t4\nIp6OutMcastPkts   \t5\n"
    let groups = "TcpExt: SyncookiesSent\nTcpExt: 9\nIpExt: InMcastPkts OutMcastPkts OutBcastPkts\nIpExt: 40 6 7\n"
    let counters = NetworkCounters([old, new, groups].map { Array($0.utf8) })
    #expect(counters.begunConnections == 7)
    #expect(counters.acceptedConnections == 6)
    #expect(counters.failedConnections == 1)
    #expect(counters.refusedDatagrams == 9)
    #expect(counters.groupPackets == 18)
    #expect(counters.refusedEchoes == 3)
    #expect(NetworkCounters([]).begunConnections == 0)
  }
}
