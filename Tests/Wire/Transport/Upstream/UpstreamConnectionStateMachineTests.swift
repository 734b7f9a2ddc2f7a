import TapelineTime
import Testing

@testable import TapelineTransport

/// What a connection to an origin is for, as conversations.
@Suite("The states of a connection to an origin")
struct UpstreamConnectionStateMachineTests {
  private typealias Machine = UpstreamConnection.StateMachine
  private static let exchange = UpstreamExchange(hasWaited: false, isReplayable: true)
  private static let instant = MonotonicInstant(nanoseconds: 1)
  private static let error = TransportError(origin: .upstream, phase: .tls, kind: .timedOut, message: "too late")

  @Test("An exchange on a new connection, and another once it idles")
  func exchanges() {
    var machine = Machine()
    machine.connect()
    #expect(machine.reached == .connect && machine.timeoutAction == .failConnecting && machine.failAction == .close)
    machine.begin(Self.exchange)
    #expect(machine.reached == .send && machine.outputAction == .exchange(requestEnded: false))
    machine.note { $0.endRequest() }
    #expect(machine.reached == .wait && machine.timeoutAction == .failForResponse)
    #expect(machine.outputAction == .exchange(requestEnded: true))
    guard case .exchange = machine.inputAction else { return #expect(Bool(false), "bytes are the exchange's") }
    machine.note {
      $0.beginResponse(at: Self.instant)
      $0.endHead()
    }
    #expect(machine.reached == .receive && machine.timeoutAction == .failForSilence(in: .receive))
    machine.idle()
    #expect(machine.exchange == nil && machine.failAction == .leaveStore)
    guard case .leaveStore = machine.inputAction else { return #expect(Bool(false), "nobody asked for bytes") }
    machine.begin(Self.exchange)
    #expect(machine.activeExchange?.requestEnded == false)
    #expect(machine.inputDidEnd() == .endExchange)
    machine.close()
    #expect(machine.exchange == nil && machine.failAction == .close && !machine.awaitsFirstTask)
  }

  @Test("The piece that completes a body with a length waits for the end of its source, and no longer than its exchange")
  func lastPiece() {
    var machine = Machine()
    machine.connect()
    machine.begin(UpstreamExchange(hasWaited: false, isReplayable: false, bodyLength: 5))
    let holdsFirst = machine.holdIfLast([1, 2])
    machine.note { $0.sendBody(2) }
    let holdsLast = machine.holdIfLast([3, 4, 5])
    #expect(!holdsFirst && holdsLast && machine.activeExchange?.bodyRemaining == 3)
    let (piece, nothing) = (machine.takeLastPiece(), machine.takeLastPiece())
    #expect(piece == [3, 4, 5] && nothing == nil)
    let holdsAgain = machine.holdIfLast([6, 7, 8])
    machine.note { $0.sendBody(3) }
    #expect(machine.activeExchange?.bodyRemaining == 0)
    machine.idle()
    machine.begin(UpstreamExchange(hasWaited: true, isReplayable: false, bodyLength: 3))
    let left = machine.takeLastPiece()
    #expect(holdsAgain && left == nil)
  }

  @Test("A proxy that challenges is asked again, on this connection or on another one, and attempts are counted through both")
  func tunnels() {
    var machine = Machine(tunnelAttempts: 1)
    machine.connect()
    machine.requestTunnel(isAuthorized: false)
    #expect(machine.tunnelAttempts == 2 && !machine.tunnelIsAuthorized && machine.timeoutAction == .failTunnel)
    #expect(machine.outputAction == .uncounted && machine.failAction == .fail)
    machine.tunnelWasChallenged()
    machine.requestTunnel(isAuthorized: true)
    #expect(machine.tunnelAttempts == 3 && machine.tunnelIsAuthorized)
    #expect(machine.inputDidEnd() == .failTunnel)
    var elsewhere = Machine(tunnelAttempts: 0)
    elsewhere.connect()
    elsewhere.requestTunnel(isAuthorized: false)
    elsewhere.tunnelWasChallenged()
    #expect(elsewhere.inputDidEnd() == .requestTunnelElsewhere)
  }

  @Test("A handshake for a task, and one ahead of any")
  func securing() {
    var machine = Machine()
    machine.connect()
    machine.secure()
    #expect(machine.isSecuring && machine.reached == .tls && machine.failAction == .failHandshake)
    #expect(machine.timeoutAction == .failHandshake && machine.outputAction == .nothing)
    machine.prepare()
    #expect(machine.isPrepared && machine.awaitsFirstTask && machine.failAction == .endPrepared)
    guard case .begin = machine.use() else { return #expect(Bool(false), "it stands") }
    machine.secure()
    #expect(machine.awaitsFirstTask == true)
    guard case .awaitHandshake = machine.use() else { return #expect(Bool(false), "the handshake has not ended") }
  }

  @Test("The first task is told why the handshake ahead of it failed, once")
  func refusal() {
    var machine = Machine()
    machine.connect()
    machine.secure()
    machine.close()
    machine.refuse(Self.error)
    #expect(machine.awaitsFirstTask && machine.failAction == .close)
    guard case .fail(let error) = machine.use() else { return #expect(Bool(false), "there is a reason") }
    #expect(error == Self.error && !machine.awaitsFirstTask)
  }

  @Test("A response waits for the task's decision; one that came before waits for the response")
  func decisions() {
    var machine = Machine()
    machine.connect()
    machine.begin(Self.exchange)
    let isKept = machine.decide(.proceed) == nil
    #expect(isKept)
    let held = HeldResponse(status: 401, at: Self.instant)
    let isHeld = machine.hold(held)
    #expect(isHeld && machine.isDeciding && machine.activeExchange == nil && machine.exchange != nil)
    let early = machine.takeEarlyDecision()
    #expect(early != nil)
    let isTakenTwice = machine.takeEarlyDecision() != nil
    #expect(!isTakenTwice)
    let decided = machine.decide(.proceed)
    #expect(decided === held)
    guard case .hold(let holder) = machine.inputAction else { return #expect(Bool(false), "bytes are held") }
    #expect(holder === held && machine.inputDidEnd() == .wait && machine.inputEnded)
    machine.proceed()
    #expect(machine.activeExchange != nil)
  }

  @Test("What is nobody's answer is drained, so that the connection can carry another exchange")
  func draining() {
    var machine = Machine()
    machine.connect()
    machine.begin(Self.exchange)
    _ = machine.hold(HeldResponse(status: 302, at: Self.instant))
    machine.drain(left: 10)
    machine.drain(left: 4)
    guard case .drain(let left) = machine.inputAction else { return #expect(Bool(false), "bytes are drained") }
    #expect(left == 4 && machine.timeoutAction == .endDraining && machine.failAction == .endDraining)
    machine.note { $0.endRequest() }
    #expect(machine.exchange?.requestEnded == true)
    machine.idle()
    #expect(machine.exchange == nil)
  }

  @Test("A listener that cancelled holds nothing")
  func cancelled() {
    var machine = Machine()
    machine.connect()
    machine.begin(Self.exchange)
    machine.close()
    let isHeld = machine.hold(HeldResponse(status: 200, at: Self.instant))
    #expect(!isHeld)
    let isKept = machine.decide(.cancel) == nil && machine.takeEarlyDecision() == nil
    #expect(isKept)
  }

  @Test("A stream ends in each direction on its own; one that has moved nothing can be taken back")
  func streams() {
    var machine = Machine()
    machine.connect()
    machine.beginStream()
    #expect(machine.isStreaming && machine.streamIsUntouched && machine.reached == .receive && machine.outputAction == .stream)
    machine.prepare()
    #expect(machine.isPrepared == true)
    machine.beginStream()
    let isNews = machine.endStreamOutput()
    let isNewsAgain = machine.endStreamOutput()
    #expect(isNews && !isNewsAgain && !machine.streamIsUntouched && !machine.streamIsComplete)
    #expect(machine.inputDidEnd() == .tell)
    #expect(machine.streamIsComplete == true)
  }
}
