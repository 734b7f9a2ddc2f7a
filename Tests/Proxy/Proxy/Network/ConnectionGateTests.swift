import TapelineCore
import TapelineLoop
import TapelineTime
import TapelineTransport
import Testing

@testable import TapelineProxy

/// Connections of a command's network, by the packets that open them, with a scripted origin.
@Suite("The gate of a command's network") final class ConnectionGateTests {
  private let scripted: ScriptedShard
  private let near: SocketAddress
  private let far: SocketAddress
  private var verdicts: [String] = []
  private lazy var gate = ConnectionGate(shard: scripted.shard) { [unowned self] packet, verdict in
    verdicts.append("\(packet) \(verdict)")
  }

  init() throws {
    scripted = try ScriptedShard { $0.access.deniedHosts = [try #require(DestinationPattern("192.0.2.9"))] }
    near = try #require(SocketAddress(literal: "192.0.0.8", port: 40_000))
    far = try #require(SocketAddress(literal: "127.0.0.1", port: 80))
  }

  private func packet(_ id: UInt32, sequence: UInt32 = 7, to destination: SocketAddress? = nil) -> HeldPacket {
    HeldPacket(id: id, flow: TCPFlow(source: near, destination: destination ?? far), sequence: sequence)
  }

  /// The task of the connection's tunnel.
  private func begin(_ packet: HeldPacket) throws -> SessionTask {
    gate.receive(packet, at: .now)
    return try #require(scripted.origin.tasks.last)
  }

  private var claimed: HeldClient? {
    switch gate.claim(from: near, to: far) {
    case .client(let client): client
    case .over, .unknown: nil
    }
  }

  @Test("A packet goes on when the server is reached, and the accepted connection has its tunnel")
  func accepted() throws {
    let task = try begin(packet(1))
    #expect(verdicts.isEmpty)
    #expect(gate.exchangesInFlight(at: .now).map { $0.door.name } == ["network"])
    task.didOpenStream()
    #expect(verdicts == ["1 accept"])
    let client = try #require(claimed)
    #expect(client.takeTunnel() != nil)
    #expect(gate.isEmpty)
    #expect(scripted.origin.tasks.count == 1)
  }

  @Test(
    "A server's failure is what the program hears, and an entry",
    arguments: [
      (TransportError.Kind.refused, "refuse"), (.unreachable, "hostUnreachable"), (.timedOut, "drop"), (.tooManyFiles, "refuse"),
    ])
  func failed(kind: TransportError.Kind, verdict: String) throws {
    let task = try begin(packet(1))
    task.complete(with: TransportError(origin: .upstream, phase: .connect, kind: kind, message: "as scripted"))
    #expect(verdicts == ["1 \(verdict)"])
    #expect(gate.isEmpty)
    let record = try #require(scripted.records.all.first)
    #expect(record.failure?.kind == .transport(kind))
    // A repetition that was in the queue already.
    gate.receive(packet(2), at: .now)
    #expect(verdicts.last == "2 \(verdict)")
    #expect(scripted.origin.tasks.count == 1 && scripted.records.all.count == 1)
  }

  @Test("A destination that is forbidden is refused without a packet to it")
  func forbidden() throws {
    let elsewhere = try #require(SocketAddress(literal: "192.0.2.9", port: 80))
    gate.receive(packet(1, to: elsewhere), at: .now)
    #expect(verdicts == ["1 refuse"])
    #expect(scripted.origin.tasks.isEmpty)
    #expect(scripted.records.all.count == 1)
  }

  @Test("A program that gives up, and one that is there when the recording ends, is recorded as the client's end")
  func givenUp() throws {
    _ = try begin(packet(1))
    _ = try begin(packet(2, sequence: 8))
    #expect(verdicts == ["1 drop"])
    #expect(scripted.records.all.count == 1)
    gate.close()
    #expect(verdicts == ["1 drop", "2 drop"])
    #expect(scripted.records.all.map(\.endedByClient) == [.connect, .connect])
    #expect(gate.isEmpty)
  }

  @Test("A server that fails before its connection is accepted has it reset")
  func overEarly() throws {
    let task = try begin(packet(1))
    task.didOpenStream()
    task.complete(with: TransportError(origin: .upstream, phase: .receive, kind: .reset, message: "reset"))
    switch gate.claim(from: near, to: far) {
    case .over: break
    case .client, .unknown: Issue.record("nothing is behind it")
    }
    #expect(verdicts == ["1 accept"])
    #expect(scripted.records.all.count == 1)
    #expect(gate.isEmpty)
  }

  @Test("What the server says before the connection is accepted waits, and stops it")
  func early() throws {
    let task = try begin(packet(1))
    task.didOpenStream()
    let demand = task.didReceive([1, 2, 3].span, at: .now)
    #expect(demand == .pause)
    task.didReceiveEnd()
    #expect(scripted.records.all.isEmpty)
    gate.close()
    #expect(scripted.records.all.count == 1)
  }
}
