import TapelineTime
import Testing

@testable import TapelineTransport

/// Connections and streams to HTTP/2 origins, as conversations.
@Suite("The states of HTTP/2 to an origin")
struct HTTP2StateMachineTests {
  private typealias Connection = HTTP2UpstreamConnection.StateMachine
  private typealias Stream = UpstreamStream.StateMachine
  private static let exchange = UpstreamExchange(hasWaited: false, isReplayable: true)
  private static let instant = MonotonicInstant(nanoseconds: 1)

  @Test("A connection takes requests until it leaves, and ends with its last stream")
  func connection() {
    var machine = Connection()
    #expect(machine.takesRequests && !machine.hasSettings)
    #expect(machine.begin() == true)
    #expect(machine.begin() == false, "the first task alone has opened it")
    machine.settingsDidCome()
    #expect(machine.hasSettings && machine.idleAction == .wait)
    #expect(machine.leave() == true)
    #expect(!machine.leave() && !machine.takesRequests && machine.hasSettings && machine.idleAction == .close)
    #expect(machine.close() == true)
    #expect(!machine.close() && !machine.leave() && machine.idleAction == .nothing)
  }

  @Test("A stream waits, carries an exchange, and ends")
  func stream() {
    var machine = Stream()
    #expect(machine.isWaiting && machine.reached == .send)
    machine.open(Self.exchange)
    machine.note { $0.endRequest() }
    #expect(machine.reached == .wait && machine.timeoutAction == .failForResponse)
    machine.note {
      $0.beginResponse(at: Self.instant)
      $0.endHead()
    }
    #expect(machine.reached == .receive && machine.timeoutAction == .failForSilence(in: .receive))
    guard case .deliver = machine.inputAction else { return #expect(Bool(false), "the task wants it") }
    machine.end()
    guard case .drop = machine.inputAction else { return #expect(Bool(false), "nobody wants it") }
    #expect(machine.exchange == nil)
  }

  @Test("A response is held, and goes on or is drained; an early decision is kept")
  func decisions() {
    var machine = Stream()
    machine.open(Self.exchange)
    machine.note { $0.beginResponse(at: Self.instant) }
    #expect(machine.decide(.proceed) == nil)
    #expect(machine.hold(HeldResponse(status: 200, at: Self.instant)) == true)
    guard case .proceed? = machine.takeEarlyDecision() else { return #expect(Bool(false), "the decision was kept") }
    #expect(machine.decide(.proceed) != nil)
    machine.proceed()
    #expect(machine.isExchanging == true)
    #expect(machine.hold(HeldResponse(status: 200, at: Self.instant)) == true)
    machine.drain(left: 10)
    guard case .drain(left: 10) = machine.inputAction else { return #expect(Bool(false), "little is left") }
    #expect(machine.timeoutAction == .endDraining && machine.exchange == nil)
    #expect(machine.hold(HeldResponse(status: 200, at: Self.instant)) == false)
  }

  @Test("A stream of bytes ends when both directions have")
  func bytes() {
    var machine = Stream()
    machine.open(Self.exchange)
    machine.becomeStream()
    #expect(machine.isStreaming && !machine.streamIsComplete)
    #expect(machine.endStreamOutput() == true)
    #expect(!machine.endStreamOutput() && !machine.streamIsComplete)
    machine.endStreamInput()
    #expect(machine.streamIsComplete == true)
  }
}
