import TapelineTime
import Testing

@testable import TapelineTransport

/// What a connection to an origin carries, as conversations.
@Suite("The states of a connection to an origin")
struct UpstreamConnectionStateMachineTests {
  private typealias Machine = UpstreamConnection.StateMachine
  private static let exchange = UpstreamExchange(hasWaited: false, isReplayable: true)
  private static let instant = MonotonicInstant(nanoseconds: 1)

  @Test("An exchange on a new connection, and another once it idles")
  func exchanges() {
    var machine = Machine()
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
    #expect(machine.exchange == nil && machine.failAction == .close)
  }

  @Test("The piece that completes a body with a length waits for the end of its source, and no longer than its exchange")
  func lastPiece() {
    var machine = Machine()
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

  @Test("A response waits for the task's decision; one that came before waits for the response")
  func decisions() {
    var machine = Machine()
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
    machine.beginStream()
    #expect(machine.isStreaming && machine.streamIsUntouched && machine.reached == .receive && machine.outputAction == .stream)
    let isNews = machine.endStreamOutput()
    let isNewsAgain = machine.endStreamOutput()
    #expect(isNews && !isNewsAgain && !machine.streamIsUntouched && !machine.streamIsComplete)
    #expect(machine.inputDidEnd() == .tell)
    #expect(machine.streamIsComplete == true)
  }
}
