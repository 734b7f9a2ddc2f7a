import TapelineCore
import Testing

@testable import TapelineProxy

/// What a client's SOCKS means, and that it means the same in any pieces.
@Suite("SOCKS negotiations") struct SOCKSNegotiationTests {
  private typealias Step = SOCKSNegotiation.Step

  /// All steps that follow from `pieces`, without waits. A password `right` is admitted.
  private func steps(of pieces: [[UInt8]], asksForPassword: Bool = false) -> (steps: [Step], rest: [UInt8]) {
    var negotiation = SOCKSNegotiation(asksForPassword: asksForPassword)
    var steps: [Step] = []
    for piece in pieces {
      negotiation.receive(piece.span)
      var step = negotiation.next()
      while step != .wait {
        steps.append(step)
        switch step {
        case .judge(let password):
          let isRight = password.bytes == Array("me:right".utf8)
          step = isRight ? negotiation.admit() : negotiation.turnDown(.wrongPassword)
        case .answer, .connect, .refuse, .wait:
          step = negotiation.next()
        }
      }
    }
    return (steps, negotiation.takeRest())
  }

  private func text(_ text: String) -> [UInt8] { Array(text.utf8) }

  private func connect(_ version: SOCKSVersion, _ host: String, _ port: UInt16) -> Step {
    .connect(SOCKSDestination(version: version, host: host, port: port))
  }

  struct Vector: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]
    let version: SOCKSVersion
    let host: String
    let port: UInt16
    var answers: [[UInt8]] = [[5, 0]]
    var asksForPassword = false
  }

  static let vectors: [Vector] = [
    Vector(
      testDescription: "RFC 1928 5: an IPv4 address", bytes: [5, 1, 0, 5, 1, 0, 1, 192, 0, 2, 7, 1, 187], version: .v5,
      host: "192.0.2.7",
      port: 443),
    Vector(
      testDescription: "RFC 1928 5: an IPv6 address",
      bytes: [5, 2, 1, 0, 5, 1, 0, 4, 0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 80], version: .v5,
      host: "2001:db8::9",
      port: 80),
    Vector(
      testDescription: "RFC 1928 5: a name", bytes: [5, 1, 0, 5, 1, 0, 3, 11] + Array("example.com".utf8) + [0x1F, 0x90],
      version: .v5,
      host: "example.com", port: 8080),
    Vector(
      testDescription: "RFC 1929 2: a name and a password",
      bytes: [5, 2, 0, 2, 1, 2] + Array("me".utf8) + [5] + Array("right".utf8) + [5, 1, 0, 1, 127, 0, 0, 1, 0, 1], version: .v5,
      host: "127.0.0.1", port: 1, answers: [[5, 2], [1, 0]], asksForPassword: true),
    Vector(
      testDescription: "SOCKS4: an address and a user", bytes: [4, 1, 0, 80, 192, 0, 2, 7] + Array("me".utf8) + [0], version: .v4,
      host: "192.0.2.7", port: 80, answers: []),
    Vector(
      testDescription: "SOCKS4a: a name", bytes: [4, 1, 1, 187, 0, 0, 0, 1, 0] + Array("example.com".utf8) + [0], version: .v4a,
      host: "example.com", port: 443, answers: []),
  ]

  @Test("A request leads to its destination, in any pieces; the bytes after it are the destination's", arguments: vectors)
  func requests(vector: Vector) {
    let bytes = vector.bytes + text("GET /")
    let expected = vector.answers.map { Step.answer($0) } + [connect(vector.version, vector.host, vector.port)]
    let cuts = (0...bytes.count).map { [Array(bytes[..<$0]), Array(bytes[$0...])] }
    for pieces in cuts + [bytes.map { [$0] }] {
      let (steps, rest) = steps(of: pieces, asksForPassword: vector.asksForPassword)
      let unjudged = steps.filter { if case .judge = $0 { false } else { true } }
      #expect(unjudged == expected)
      #expect(rest == text("GET /"))
    }
  }

  @Test("RFC 1929 2: a password that is wrong is answered by 1, and ends the connection")
  func wrongPassword() {
    let (steps, _) = steps(of: [[5, 1, 2, 1, 2] + text("me") + [5] + text("wrong")], asksForPassword: true)
    #expect(steps.last == .refuse(SOCKSRefusal(answer: [1, 1], reply: nil, fault: .wrongPassword)))
  }

  @Test("RFC 1928 3: a client without a password is turned away where one is needed")
  func missingPassword() {
    let (five, _) = steps(of: [[5, 1, 0]], asksForPassword: true)
    #expect(five == [.refuse(SOCKSRefusal(answer: [5, 0xFF], reply: nil, fault: .noPassword))])
    let (four, _) = steps(of: [[4, 1, 0, 80, 127, 0, 0, 1, 0]], asksForPassword: true)
    #expect(four == [.refuse(SOCKSRefusal(answer: [0, 91, 0, 0, 0, 0, 0, 0], reply: .generalFailure, fault: .noPassword))])
  }

  @Test("A client that offers a password alone may give any where none is needed")
  func needlessPassword() {
    let bytes: [UInt8] = [5, 1, 2, 1, 0, 0]
    var negotiation = SOCKSNegotiation(asksForPassword: false)
    negotiation.receive(bytes.span)
    #expect(negotiation.next() == .answer([5, 2]))
    #expect(negotiation.next() == .judge(SOCKSPassword(bytes: text(":"))))
    #expect(negotiation.admit() == .answer([1, 0]))
    #expect(negotiation.next() == .wait)
  }

  @Test("RFC 1928 6: BIND and UDP ASSOCIATE are answered by 7", arguments: [(2, "BIND"), (3, "UDP ASSOCIATE"), (9, "command 9")])
  func commands(command: Int, name: String) {
    let (five, _) = steps(of: [[5, 1, 0, 5, UInt8(command), 0, 1, 127, 0, 0, 1, 0, 80]])
    #expect(
      five.last
        == .refuse(
          SOCKSRefusal(answer: [5, 7, 0, 1, 0, 0, 0, 0, 0, 0], reply: .commandNotSupported, fault: .unsupported(name))))
    let (four, _) = steps(of: [[4, UInt8(command), 0, 80, 127, 0, 0, 1, 0]])
    #expect(
      four == [.refuse(SOCKSRefusal(answer: [0, 91, 0, 0, 0, 0, 0, 0], reply: .generalFailure, fault: .unsupported(name)))])
  }

  /// Thirty ways to be wrong, each followed by more bytes than any request has.
  static let malformed: [[UInt8]] = [
    [5, 0], [5, 1, 1], [5, 1, 0xFF], [5, 2, 3, 4], [5, 1, 0x80],
    [5, 1, 0, 4, 1, 0, 1], [5, 1, 0, 0, 1, 0, 1], [5, 1, 0, 6, 1, 0, 1], [5, 1, 0, 0xFF, 1, 0, 1], [5, 1, 0, 0x47, 0x45, 0x54],
    [5, 1, 0, 5, 1, 1, 1], [5, 1, 0, 5, 1, 0xFF, 1], [5, 1, 0, 5, 1, 0, 0], [5, 1, 0, 5, 1, 0, 2], [5, 1, 0, 5, 1, 0, 5],
    [5, 1, 0, 5, 1, 0, 0xFF], [5, 1, 0, 5, 1, 0, 3, 0, 0, 80], [5, 1, 0, 5, 1, 0, 1, 127, 0, 0, 1, 0, 0],
    [5, 1, 0, 5, 1, 0, 3, 1, 0, 0, 80], [5, 1, 0, 5, 1, 0, 3, 3, 0x61, 0x20, 0x62, 0, 80],
    [5, 1, 0, 5, 1, 0, 3, 3, 0x61, 13, 10, 0, 80],
    [5, 1, 0, 5, 1, 0, 3, 2, 0xC3, 0xA9, 0, 80], [5, 1, 0, 5, 1, 0, 3, 1, 0x7F, 0, 80],
    [5, 1, 0, 5, 0, 0, 1, 127, 0, 0, 1, 0, 80],
    [4, 0, 0, 80, 127, 0, 0, 1, 0], [4, 1, 0, 0, 127, 0, 0, 1, 0], [4, 1, 0, 80, 0, 0, 0, 1, 0, 0],
    [4, 1, 0, 80, 0, 0, 0, 1, 0, 0x20, 0],
    [4, 1, 0, 80, 127, 0, 0, 1] + [UInt8](repeating: 0x61, count: 256),
    [4, 1, 0, 80, 0, 0, 0, 1, 0] + [UInt8](repeating: 0x61, count: 256),
  ]

  @Test("Malformed SOCKS is refused, in any pieces, and nothing of it is kept", arguments: malformed)
  func malformedSOCKS(bytes: [UInt8]) throws {
    let all = bytes + [UInt8](repeating: 0x61, count: 600)
    var outcomes: [[Step]] = []
    for pieces in [[all], all.map { [$0] }, [Array(all[..<3]), Array(all[3...])]] {
      let refusal = steps(of: pieces).steps.drop { if case .answer = $0 { true } else { false } }
      guard case .refuse(let refused)? = refusal.first else {
        Issue.record("\(bytes) is not refused: \(refusal)")
        return
      }
      #expect(!refused.answer.isEmpty)
      outcomes.append(Array(refusal))
    }
    #expect(Set(outcomes.map { "\($0)" }).count == 1)
  }

  @Test(
    "A client that says little is waited for",
    arguments: [[5], [5, 3, 0], [5, 1, 0, 5], [5, 1, 0, 5, 1, 0, 3, 4], [4], [4, 1, 0, 80]])
  func unfinished(bytes: [UInt8]) {
    #expect(
      !steps(of: [bytes]).steps.contains { if case .connect = $0 { true } else if case .refuse = $0 { true } else { false } })
  }
}
