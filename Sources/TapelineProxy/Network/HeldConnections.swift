internal import TapelineLoop

/// The connections of a command's network that programs have begun, from the first packet until our end has accepted them, as a
/// value. It knows a packet that is repeated.
struct HeldConnections<Client>: ~Copyable {
  private enum Stage {
    /// The kernel holds the packet.
    case held
    /// The packet has gone on: the connection will be accepted.
    case passed
    /// As `passed`, but nothing is behind it any more.
    case over
  }

  private struct Connection {
    let sequence: UInt32
    var stage: Stage
    let client: Client
  }

  private var connections: [TCPFlow: Connection] = [:]
  /// The packets that were judged last. Programs may have repeated them before, and the kernel has put them into the queue.
  private var judged: BoundedTable<TCPFlow, UInt32>
  private let limit: Int

  /// - Parameter limit: of connections. Further ones wait until their programs repeat the packet.
  init(limit: Int = 1024) {
    self.limit = limit
    judged = BoundedTable(limit: limit)
  }

  enum Reception {
    /// It begins a connection: call `add`.
    case begin
    /// As `begin`. An earlier connection between the two addresses has been given up by its program.
    case replace(Client)
    /// It is known, or there is no room for it.
    case drop
  }

  /// The first packet of a connection is here.
  mutating func receive(_ packet: HeldPacket) -> Reception {
    if let earlier = connections[packet.flow] {
      return earlier.sequence == packet.sequence ? .drop : .replace(earlier.client)
    }
    return judged[packet.flow] == packet.sequence || connections.count >= limit ? .drop : .begin
  }

  mutating func add(_ client: Client, for packet: HeldPacket) {
    precondition(connections[packet.flow] == nil, "there is one connection between two addresses")
    connections[packet.flow] = Connection(sequence: packet.sequence, stage: .held, client: client)
  }

  /// The packet goes on, and its connection will be accepted. Answers whether it was there to go.
  mutating func pass(_ packet: HeldPacket) -> Bool {
    guard let connection = connection(of: packet), connection.stage == .held else { return false }
    connections[packet.flow]?.stage = .passed
    noteJudgement(of: packet)
    return true
  }

  /// The packet does not become a connection.
  mutating func noteJudgement(of packet: HeldPacket) {
    judged[packet.flow] = packet.sequence
  }

  enum Claim {
    case client(Client)
    /// Nothing is behind it any more.
    case over
    /// It was not held.
    case unknown
  }

  /// Our end has accepted the connection.
  mutating func claim(_ flow: TCPFlow) -> Claim {
    guard let connection = connections[flow], connection.stage != .held else { return .unknown }
    connections[flow] = nil
    return connection.stage == .over ? .over : .client(connection.client)
  }

  /// Nothing is behind the packet's connection any more. Answers whether the packet waits for its judgement.
  mutating func end(_ packet: HeldPacket) -> Bool {
    guard let connection = connection(of: packet) else { return false }
    switch connection.stage {
    case .held:
      return forget(packet)
    case .passed, .over:
      connections[packet.flow]?.stage = .over
      return false
    }
  }

  /// The program has not gone on with it. Answers whether the packet waits for its judgement.
  mutating func forget(_ packet: HeldPacket) -> Bool {
    guard let connection = connection(of: packet) else { return false }
    connections[packet.flow] = nil
    guard connection.stage == .held else { return false }
    noteJudgement(of: packet)
    return true
  }

  /// `nil` if another connection has taken its place.
  private func connection(of packet: HeldPacket) -> Connection? {
    connections[packet.flow].flatMap { $0.sequence == packet.sequence ? $0 : nil }
  }

  var clients: [Client] { connections.values.map(\.client) }

  var isEmpty: Bool { connections.isEmpty }
}
