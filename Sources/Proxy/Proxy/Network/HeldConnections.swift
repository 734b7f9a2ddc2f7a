internal import TapelineLoop
internal import TapelineBase

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

  private struct Judgement {
    let sequence: UInt32
    let verdict: PacketVerdict
  }

  private var connections: [TCPFlow: Connection] = [:]
  /// The judgements of the last packets. A program repeats a packet if it has heard nothing yet, or if our end had no room.
  private var judgements = BoundedTable<TCPFlow, Judgement>(limit: 256)
  private let limit: Int

  /// - Parameter limit: of connections. Further ones wait until their programs repeat the packet.
  init(limit: Int = 1024) {
    self.limit = limit
  }

  enum Reception {
    /// It begins a connection: call `add`.
    case begin
    /// As `begin`. An earlier connection between the two addresses has been given up by its program.
    case replace(Client)
    /// It is known, or there is no room for it.
    case judge(PacketVerdict)
  }

  /// The first packet of a connection is here.
  mutating func receive(_ packet: HeldPacket) -> Reception {
    if let judgement = judgements[packet.flow], judgement.sequence == packet.sequence { return .judge(judgement.verdict) }
    if let earlier = connections[packet.flow] {
      return earlier.sequence == packet.sequence ? .judge(.drop) : .replace(earlier.client)
    }
    return connections.count < limit ? .begin : .judge(.drop)
  }

  mutating func add(_ client: Client, for packet: HeldPacket) {
    precondition(connections[packet.flow] == nil, "there is one connection between two addresses")
    connections[packet.flow] = Connection(sequence: packet.sequence, stage: .held, client: client)
  }

  /// The packet goes on, and its connection will be accepted. Answers whether it was there to go.
  mutating func pass(_ packet: HeldPacket) -> Bool {
    guard let connection = connection(of: packet), connection.stage == .held else { return false }
    connections[packet.flow]?.stage = .passed
    note(.accept, on: packet)
    return true
  }

  /// The packet, which was not added, is judged.
  mutating func note(_ verdict: PacketVerdict, on packet: HeldPacket) {
    judgements[packet.flow] = Judgement(sequence: packet.sequence, verdict: verdict)
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

  /// Nothing is behind the packet's connection any more. Answers whether the packet waits for this judgement.
  mutating func end(_ packet: HeldPacket, _ verdict: PacketVerdict) -> Bool {
    guard let connection = connection(of: packet) else { return false }
    switch connection.stage {
    case .held:
      connections[packet.flow] = nil
      note(verdict, on: packet)
      return true
    case .passed, .over:
      connections[packet.flow]?.stage = .over
      return false
    }
  }

  /// The program has not gone on with it. Answers whether the packet waits to be dropped.
  mutating func forget(_ packet: HeldPacket) -> Bool {
    if end(packet, .drop) { return true }
    if connection(of: packet) != nil { connections[packet.flow] = nil }
    return false
  }

  /// `nil` if another connection has taken its place.
  private func connection(of packet: HeldPacket) -> Connection? {
    connections[packet.flow].flatMap { $0.sequence == packet.sequence ? $0 : nil }
  }

  var clients: [Client] { connections.values.map(\.client) }

  var isEmpty: Bool { connections.isEmpty }
}
