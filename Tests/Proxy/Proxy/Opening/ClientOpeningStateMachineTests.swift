import TapelineTime
import Testing

@testable import TapelineProxy

/// How a client's connection comes to its requests, as conversations and as a table of each phase and event.
@Suite("The states of a client's opening")
struct ClientOpeningStateMachineTests {
  private typealias Machine = ClientOpening.StateMachine<String>
  private static let instant = MonotonicInstant(nanoseconds: 7)

  enum Phase: String, CaseIterable, CustomTestStringConvertible {
    case fresh, greeting, tunnelling, securing, over

    var testDescription: String { rawValue }
  }

  /// An opening that has come to a phase as openings do.
  private func machine(in phase: Phase) -> Machine {
    var machine = Machine()
    switch phase {
    case .fresh:
      break
    case .greeting:
      machine.beginGreeting(at: Self.instant)
    case .tunnelling:
      machine.openTunnel("tunnel")
    case .securing:
      machine.beginGreeting(at: Self.instant)
      machine.openTunnel("tunnel")
      machine.secure()
    case .over:
      machine.end()
    }
    return machine
  }

  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test("The opening does with bytes what its phase says", arguments: Phase.allCases.filter { $0 != .securing })
  func input(phase: Phase) {
    let expected: (plain: String, tls: String) =
      switch phase {
      case .fresh: ("parse", "greet")
      case .greeting: ("gatherGreeting", "gatherGreeting")
      case .tunnelling: (#"relay("tunnel")"#, #"relay("tunnel")"#)
      case .securing, .over: ("nothing", "nothing")
      }
    let machine = machine(in: phase)
    #expect("\(machine.inputAction(isGreeting: false))" == expected.plain)
    #expect("\(machine.inputAction(isGreeting: true))" == expected.tls)
  }

  @Test("A link that fails during the handshake fails the handshake", arguments: Phase.allCases)
  func failure(phase: Phase) {
    #expect(machine(in: phase).failAction == (phase == .securing ? .failHandshake : .hangUp))
  }

  @Test("Patience runs out in each phase in its own way", arguments: Phase.allCases)
  func timeout(phase: Phase) {
    let expected =
      switch phase {
      case .fresh: "close"
      case .tunnelling: #"askTunnel("tunnel")"#
      case .securing: "loseHandshake"
      case .greeting, .over: "loseRequest"
      }
    #expect("\(machine(in: phase).timeoutAction)" == expected)
  }

  @Test("The work that a lost client leaves is recorded, whatever it is", arguments: Phase.allCases)
  func loss(phase: Phase) {
    let expected =
      switch phase {
      case .fresh: "close"
      case .greeting: "recordRequest"
      case .securing: "recordHandshake"
      case .tunnelling: #"tellTunnel("tunnel")"#
      case .over: "nothing"
      }
    #expect("\(machine(in: phase).lossAction)" == expected)
  }

  @Test("Each phase says whether anything has come, when the greeting began, and whose bytes come", arguments: Phase.allCases)
  func questions(phase: Phase) {
    let machine = machine(in: phase)
    #expect(machine.isFresh == (phase == .fresh))
    #expect(machine.began == (phase == .greeting ? Self.instant : nil))
    #expect(machine.tunnel == (phase == .tunnelling ? "tunnel" : nil))
  }

  @Test("A greeting is gathered until it is whole, and its bytes go to whoever reads on")
  func greetings() {
    var machine = machine(in: .greeting)
    let first = machine.gatherGreeting(bytes("\u{16}").span)
    let second = machine.gatherGreeting(bytes("GET").span)
    #expect(first == bytes("\u{16}") && second == bytes("\u{16}GET"))
    let all = machine.takeInput()
    #expect(all == second && !machine.holdsInput)
  }

  @Test("A client that was not answered goes on with the origin itself, in another tunnel")
  func tunnels() {
    var asked = machine(in: .tunnelling)
    asked.hold(bytes("GET /").span)
    let early = asked.takeInput()
    #expect(early == bytes("GET /"))
    var unanswered = machine(in: .securing)
    unanswered.openTunnel("another")
    #expect(unanswered.tunnel == "another")
    unanswered.hold(bytes("hello").span)
    unanswered.end()
    #expect(unanswered.tunnel == nil && !unanswered.holdsInput)
  }
}
