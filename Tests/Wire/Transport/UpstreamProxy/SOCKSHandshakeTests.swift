import Testing

@testable import TapelineTransport

@Suite("RFC 1928: our end of SOCKS5")
struct SOCKSHandshakeTests {
  private static let granted: [UInt8] = [5, 0, 0, 1, 0, 0, 0, 0, 0, 0]
  private static let me = Credential(user: "me", password: "pw")

  /// What it says when the proxy's bytes come in these pieces.
  private func conversation(_ host: String, as credential: Credential? = nil, _ pieces: [[UInt8]]) -> [SOCKSHandshake.Step] {
    guard var handshake = SOCKSHandshake(host: host, port: 443, credential: credential) else { return [] }
    var steps: [SOCKSHandshake.Step] = []
    for piece in pieces {
      handshake.receive(piece.span)
      reading: while true {
        let step = handshake.next()
        if step != .wait { steps.append(step) }
        guard case .send = step else { break reading }
      }
    }
    return steps
  }

  @Test(
    "The destination goes out as what it is",
    arguments: [
      ("origin.test", [3, 11] + Array("origin.test".utf8)), ("10.0.0.1", [1, 10, 0, 0, 1]),
      ("::1", [4] + [UInt8](repeating: 0, count: 15) + [1]), ("fe80::1%lo", [3, 10] + Array("fe80::1%lo".utf8)),
    ] as [(String, [UInt8])])
  func destination(host: String, address: [UInt8]) {
    #expect(conversation(host, [[5, 0], Self.granted]) == [.send([5, 1, 0] + address + [1, 187]), .open(rest: [])])
  }

  @Test("RFC 1929: the name and password, if the proxy asks for them")
  func password() {
    let said = conversation("a", as: Self.me, [[5, 2], [1, 0], Self.granted])
    #expect(
      said == [.send([1, 2] + Array("me".utf8) + [2] + Array("pw".utf8)), .send([5, 1, 0, 3, 1, 97, 1, 187]), .open(rest: [])])
    #expect(conversation("a", as: Self.me, [[5, 0]]) == [.send([5, 1, 0, 3, 1, 97, 1, 187])])
    #expect(conversation("a", as: Self.me, [[5, 2], [1, 1]]).last == .fail(.wrongPassword))
    #expect(conversation("a", [[5, 2]]) == [.fail(.noMethod)])
    #expect(conversation("a", as: Self.me, [[5, 0xFF]]) == [.fail(.noMethod)])
  }

  @Test("A proxy's bytes mean the same at every split", arguments: 0...23)
  func splits(at place: Int) {
    let all: [UInt8] = [5, 2, 1, 0, 5, 0, 0, 3, 4] + Array("host".utf8) + [0, 80] + Array("rest".utf8)
    let whole = conversation("a", as: Self.me, [all])
    #expect(whole.count == 3 && whole.last == .open(rest: Array("rest".utf8)))
    let cut = conversation("a", as: Self.me, [Array(all.prefix(place)), Array(all.dropFirst(place))])
    // Bytes behind the answer are the destination's, in whatever read they come.
    #expect(cut.prefix(2) == whole.prefix(2) && cut.count == 3)
  }

  @Test(
    "Its refusals, and what is no SOCKS5",
    arguments: [[[5, 0], [5, 2, 0, 1]], [[4, 0]], [[72]], [[5, 0], [5, 0, 0, 9, 0]]] as [[[UInt8]]])
  func failures(pieces: [[UInt8]]) {
    let last = conversation("a", pieces).last
    switch pieces.count {
    case 2 where pieces[1][1] == 2: #expect(last == .fail(.refused(2)))
    default: if case .fail(.malformed) = last {} else { Issue.record("\(String(describing: last))") }
    }
  }

  @Test("What SOCKS has no room for is no handshake")
  func tooLong() {
    let long = String(repeating: "a", count: 256)
    let isHost = SOCKSHandshake(host: long, port: 1, credential: nil) == nil
    let isPassword = SOCKSHandshake(host: "a", port: 1, credential: Credential(user: "me", password: long)) == nil
    #expect(isHost && isPassword)
  }
}
