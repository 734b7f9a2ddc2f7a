import Testing

@testable import TapelineTransport

/// How a connection to an origin comes to its first task, as conversations.
@Suite("The states of an opening")
struct UpstreamOpeningStateMachineTests {
  private typealias Machine = UpstreamOpening.StateMachine
  private static let error = TransportError(origin: .upstream, phase: .tls, kind: .timedOut, message: "too late")

  @Test("TCP, and nothing behind it")
  func connecting() {
    var machine = Machine(tunnelAttempts: 0)
    machine.connect()
    #expect(machine.reached == .connect && machine.timeoutAction == .failConnecting && machine.failAction == .close)
    machine.end()
    #expect(machine.failAction == .close && !machine.awaitsFirstTask)
  }

  @Test("A proxy that challenges is asked again, on this connection or on another one, and attempts are counted through both")
  func tunnels() {
    var machine = Machine(tunnelAttempts: 1)
    machine.connect()
    machine.requestTunnel(isAuthorized: false)
    #expect(machine.tunnelAttempts == 2 && !machine.tunnelIsAuthorized && machine.timeoutAction == .failTunnel)
    #expect(machine.failAction == .fail)
    machine.tunnelWasChallenged()
    machine.requestTunnel(isAuthorized: true)
    #expect(machine.tunnelAttempts == 3 && machine.tunnelIsAuthorized)
    #expect(machine.inputEndAction == .failTunnel)
    var elsewhere = Machine(tunnelAttempts: 0)
    elsewhere.connect()
    elsewhere.requestTunnel(isAuthorized: false)
    elsewhere.tunnelWasChallenged()
    #expect(elsewhere.inputEndAction == .requestTunnelElsewhere)
  }

  @Test("A handshake for a task, and one ahead of any")
  func securing() {
    var machine = Machine(tunnelAttempts: 0)
    machine.connect()
    machine.secure()
    #expect(machine.isSecuring && machine.reached == .tls && machine.failAction == .failHandshake)
    #expect(machine.timeoutAction == .failHandshake)
    machine.prepare()
    #expect(machine.isPrepared && machine.awaitsFirstTask && machine.failAction == .endPrepared)
    guard case .begin = machine.use() else { return #expect(Bool(false), "it stands") }
    machine.secure()
    #expect(machine.awaitsFirstTask == true)
    guard case .awaitHandshake = machine.use() else { return #expect(Bool(false), "the handshake has not ended") }
  }

  @Test("The first task is told why the handshake ahead of it failed, once")
  func refusal() {
    var machine = Machine(tunnelAttempts: 0)
    machine.connect()
    machine.secure()
    machine.end()
    machine.refuse(Self.error)
    #expect(machine.awaitsFirstTask && machine.failAction == .close)
    guard case .fail(let error) = machine.use() else { return #expect(Bool(false), "there is a reason") }
    #expect(error == Self.error && !machine.awaitsFirstTask)
  }

  @Test("A stream that was given up is prepared, and ends if its origin speaks first")
  func givenUp() {
    let machine = Machine.prepared()
    #expect(machine.isPrepared && machine.awaitsFirstTask && machine.inputEndAction == .endPrepared)
    #expect(machine.timeoutAction == .close)
    guard case .endPrepared = machine.inputAction else { return #expect(Bool(false), "nobody asked for bytes") }
  }
}
