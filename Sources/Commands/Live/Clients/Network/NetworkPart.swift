internal import TapelineLoop

/// A descriptor that the launcher passes out of a command's network. The raw value is its mark in the launcher's message.
enum NetworkPart: UInt8, CaseIterable, Sendable {
  /// Listening sockets that accept connections to any address and port.
  case listenerIPv4 = 0x34
  case listenerIPv6 = 0x36
  /// Sockets for questions to name servers.
  case namesIPv4 = 0x64
  case namesIPv6 = 0x65
  /// A queue of the packets that open connections.
  case packets = 0x71
  /// The queues of all packets between the command's programs and us, if a link is to hold them.
  case link = 0x6c
  /// Asks the kernel whose socket a connection is.
  case diagnostics = 0x69
  /// The kernel's counters (/proc/net/snmp, /proc/net/snmp6, /proc/net/netstat).
  case counters = 0x73
  case countersIPv6 = 0x74
  case countersOfGroups = 0x75
}

/// A message of a command's launcher to the process that started it.
enum LauncherMessage: Equatable {
  /// The network is there. The descriptors that came with the message are these, in this order. The command inherits so many
  /// sockets of other networks, at most 255.
  case ready([NetworkPart], inherited: Int)
  /// There is no such network, because of this step; the launcher has ended.
  case failed(NetworkStep, code: Int32)
  /// The command could not be executed.
  case notExecuted(code: Int32)

  private static let readyMark = UInt8(ascii: "R")
  private static let failedMark = UInt8(ascii: "F")
  private static let notExecutedMark = UInt8(ascii: "X")

  /// The most bytes of a message.
  static let limit = 64

  var bytes: [UInt8] {
    switch self {
    case .ready(let parts, let inherited): [Self.readyMark, UInt8(clamping: inherited)] + parts.map(\.rawValue)
    case .failed(let step, let code): [Self.failedMark, step.rawValue] + NetlinkMessage.network(code)
    case .notExecuted(let code): [Self.notExecutedMark] + NetlinkMessage.network(code)
    }
  }

  /// `nil` for bytes that the launcher does not send.
  init?(_ bytes: [UInt8]) {
    switch bytes.first {
    case Self.readyMark:
      let parts = bytes.dropFirst(2).compactMap(NetworkPart.init(rawValue:))
      guard bytes.count >= 2, parts.count == bytes.count - 2 else { return nil }
      self = .ready(parts, inherited: Int(bytes[1]))
    case Self.failedMark:
      guard bytes.count == 6, let step = NetworkStep(rawValue: bytes[1]) else { return nil }
      self = .failed(step, code: Self.code(bytes[2...]))
    case Self.notExecutedMark:
      guard bytes.count == 5 else { return nil }
      self = .notExecuted(code: Self.code(bytes[1...]))
    case nil, .some:
      return nil
    }
  }

  private static func code(_ bytes: ArraySlice<UInt8>) -> Int32 {
    Int32(bitPattern: bytes.reduce(0) { $0 << 8 | UInt32($1) })
  }
}

/// The steps on the way into a network of a command's own, any of which a system may forbid.
enum NetworkStep: UInt8, Sendable, CaseIterable {
  case namespace
  case users
  case routes
  case sockets
  case rules
  case counters
  case guardian
  case privileges
  case link

  /// Completes "cannot …".
  var purpose: String {
    switch self {
    case .namespace: "give the command a network of its own"
    case .users: "map the user into the command's namespace"
    case .routes: "set the routes of the command's network"
    case .sockets: "listen in the command's network"
    case .rules: "set the packet filter of the command's network"
    case .counters: "read the counters of the command's network"
    case .guardian: "watch over the command's network"
    case .privileges: "give up privileges in the command's network"
    case .link: "hold the packets of the command's network"
    }
  }
}
