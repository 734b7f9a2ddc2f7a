import Testing

@testable import TapelineProxy

/// The stages of a tunnel, without sockets.
@Suite struct TunnelProgressTests {
  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test("Bytes that come before the tunnel stands wait, in order, after those that came with the CONNECT")
  func opening() {
    var tunnel = TunnelProgress()
    let first = tunnel.receive(bytes("bc").span)
    #expect(first == .hold)
    #expect(!tunnel.isUndecided && tunnel.readsClient)
    let all = tunnel.open(early: bytes("a"))
    #expect(all == bytes("abc"))
    #expect(tunnel.isUndecided == true)
  }

  @Test("All of the client's first bytes are judged again each time more of them come")
  func judging() {
    var tunnel = TunnelProgress()
    _ = tunnel.open()
    let first = tunnel.receive(bytes("a").span)
    let second = tunnel.receive(bytes("b").span)
    #expect(first == .judge(bytes("a")) && second == .judge(bytes("ab")))
    let held = tunnel.relay()
    #expect(held.bytes == bytes("ab") && !held.isAll)
    let third = tunnel.receive(bytes("c").span)
    #expect(third == .relay)
    #expect(!tunnel.isUndecided && tunnel.readsClient)
  }

  @Test("A greeting that was there before the tunnel is relayed when it stands")
  func greeting() {
    var tunnel = TunnelProgress(greeting: bytes("hello"))
    let all = tunnel.open()
    let held = tunnel.relay()
    #expect(all == bytes("hello") && held.bytes == all)
  }

  @Test("The client's end is passed on, after what it had sent; while nothing is decided, it decides (RFC 9110 9.3.6)")
  func ending() {
    var early = TunnelProgress()
    let held = early.endClient()
    #expect(held == .hold && !early.readsClient)
    _ = early.open()
    #expect(early.relay().isAll)
    var undecided = TunnelProgress()
    _ = undecided.open()
    let decides = undecided.endClient()
    #expect(decides == .relay)
    #expect(undecided.relay().isAll && !undecided.readsClient)
    var relayed = TunnelProgress()
    _ = relayed.open()
    _ = relayed.relay()
    let passes = relayed.endClient()
    #expect(passes == .passOn && !relayed.readsClient)
  }

  @Test("A tunnel that is handed over gives away what it held, and hears no more")
  func handingOver() {
    var tunnel = TunnelProgress()
    _ = tunnel.open(early: bytes("GET /"))
    let greeting = tunnel.handOver()
    #expect(greeting == bytes("GET /"))
    #expect(tunnel.isHandedOver && !tunnel.isUndecided && !tunnel.readsClient)
    let end = tunnel.endClient()
    #expect(end == .hold)
  }
}
