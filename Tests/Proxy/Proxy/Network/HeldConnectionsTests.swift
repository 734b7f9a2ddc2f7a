import TapelineLoop
import Testing

@testable import TapelineProxy

/// The connections that wait for their servers, without packets.
@Suite("Connections that wait for their servers") struct HeldConnectionsTests {
  private let near: SocketAddress
  private let far: SocketAddress

  init() throws {
    near = try #require(SocketAddress(literal: "192.0.0.8", port: 40_000))
    far = try #require(SocketAddress(literal: "192.0.2.1", port: 80))
  }

  private func packet(_ id: UInt32, sequence: UInt32 = 7, port: UInt16 = 40_000) -> HeldPacket {
    HeldPacket(id: id, flow: TCPFlow(source: near.with(port: port), destination: far), sequence: sequence)
  }

  private func receive(_ packet: HeldPacket, _ held: inout HeldConnections<String>) -> String {
    switch held.receive(packet) {
    case .begin: "begin"
    case .replace(let client): "replace \(client)"
    case .judge(let verdict): "\(verdict)"
    }
  }

  private func claim(_ packet: HeldPacket, _ held: inout HeldConnections<String>) -> String {
    switch held.claim(packet.flow) {
    case .client(let client): client
    case .over: "over"
    case .unknown: "unknown"
    }
  }

  @Test("A connection is accepted once its packet has gone on")
  func accepted() {
    var held = HeldConnections<String>()
    let first = packet(1)
    #expect(receive(first, &held) == "begin")
    held.add("a", for: first)
    #expect(claim(first, &held) == "unknown")
    let passes = (held.pass(first), held.pass(first))
    #expect(passes == (true, false))
    #expect(claim(first, &held) == "a")
    #expect(claim(first, &held) == "unknown")
    let isEmpty = held.isEmpty
    #expect(isEmpty)
  }

  @Test("A repeated packet is dropped before the judgement, and then judged alike: our end may have had no room for the first")
  func repeated() {
    var held = HeldConnections<String>()
    let first = packet(1)
    held.add("a", for: first)
    #expect(receive(packet(2), &held) == "drop")
    _ = held.pass(first)
    #expect(receive(packet(3), &held) == "accept")
    #expect(claim(first, &held) == "a")
    #expect(receive(packet(4), &held) == "accept")
    #expect(receive(packet(5, sequence: 8), &held) == "begin")
    held.note(.refuse, on: packet(5, sequence: 8))
    #expect(receive(packet(6, sequence: 8), &held) == "refuse")
  }

  @Test("A server that fails leaves nothing; one that ends before the connection is accepted is over")
  func failures() {
    var held = HeldConnections<String>()
    let (first, second) = (packet(1), packet(2, port: 40_001))
    held.add("a", for: first)
    held.add("b", for: second)
    let waits = (held.end(first, .noRoute), held.end(first, .refuse))
    #expect(waits == (true, false))
    #expect(receive(packet(3), &held) == "noRoute")
    _ = held.pass(second)
    let ended = held.end(second, .drop)
    #expect(!ended)
    #expect(claim(second, &held) == "over")
    let isEmpty = held.isEmpty
    #expect(isEmpty)
  }

  @Test("A program that has given up may begin anew from the same port; the end of the old connection is not the new one's")
  func replaced() {
    var held = HeldConnections<String>()
    let (old, new) = (packet(1), packet(2, sequence: 9))
    held.add("old", for: old)
    #expect(receive(new, &held) == "replace old")
    let waited = held.forget(old)
    #expect(waited)
    held.add("new", for: new)
    let ends = (held.end(old, .drop), held.forget(old), held.pass(old))
    #expect(ends == (false, false, false))
    let passes = held.pass(new)
    #expect(passes)
    #expect(claim(new, &held) == "new")
  }

  @Test("Connections beyond the limit wait for the repetition of their packet")
  func limit() {
    var held = HeldConnections<String>(limit: 1)
    let (first, second) = (packet(1), packet(2, port: 40_001))
    held.add("a", for: first)
    #expect(receive(second, &held) == "drop")
    _ = held.pass(first)
    _ = held.claim(first.flow)
    #expect(receive(second, &held) == "begin")
  }
}
