import TapelineTLS
import Testing

@testable import TapelineTransport

/// What a secure channel may do and owes, as conversations.
@Suite("The states of a secure channel")
struct SecureChannelStateMachineTests {
  private static let error = TLSError(.protocolViolation, "bad record")

  @Test("Nothing is sent before there is a key, and the handshake's bytes are its own")
  func securing() {
    var machine = SecureChannel.StateMachine()
    #expect(machine.isSecuring && !machine.isSecure && !machine.acceptsOutput && machine.awaitsInput)
    let owesEnd = machine.endOutput()
    let hasEnded = machine.inputDidEnd()
    #expect(!owesEnd && !hasEnded)
    machine.handshakeDidEnd()
    #expect(!machine.isSecuring && machine.isSecure && machine.acceptsOutput && machine.awaitsInput)
  }

  @Test("The directions end on their own, each once")
  func directions() {
    var machine = SecureChannel.StateMachine()
    machine.handshakeDidEnd()
    let owesEnd = machine.endOutput()
    let owesAnother = machine.endOutput()
    #expect(owesEnd && !owesAnother && !machine.acceptsOutput && machine.isSecure && machine.awaitsInput)
    let isNews = machine.inputDidEnd()
    let isNewsAgain = machine.inputDidEnd()
    #expect(isNews && !isNewsAgain && !machine.awaitsInput && !machine.inputIsTruncated && machine.isSecure)
  }

  @Test("A FIN without close_notify cuts a stream off, and before there is a stream it is a failure")
  func cut() {
    var machine = SecureChannel.StateMachine()
    #expect(machine.inputWasCut() == .fail)
    machine.handshakeDidEnd()
    #expect(machine.inputWasCut() == .deliverEnd)
    #expect(machine.inputIsTruncated && !machine.awaitsInput && machine.acceptsOutput)
    let isNews = machine.inputDidEnd()
    #expect(!isNews && machine.inputIsTruncated, "the first end counts")
  }

  @Test("A failure is told once, keeps its reason, and leaves the channel to end by itself", arguments: [false, true])
  func failing(isSecure: Bool) {
    var machine = SecureChannel.StateMachine()
    if isSecure { machine.handshakeDidEnd() }
    let isTold = machine.fail(Self.error)
    let isToldAgain = machine.fail(TLSError(.protocolViolation, "another"))
    #expect(isTold && !isToldAgain && machine.failure == Self.error)
    #expect(!machine.isSecure && !machine.isSecuring && !machine.acceptsOutput && !machine.awaitsInput && !machine.hasLeft)
    let closes = machine.close()
    #expect(!closes && machine.closeAfterFlush() == .nothing && machine.failure == Self.error)
  }

  @Test("An owner that leaves hears of nothing more; what it said is drained once there is a key")
  func leaving() {
    var early = SecureChannel.StateMachine()
    #expect(early.closeAfterFlush() == .close)
    var machine = SecureChannel.StateMachine()
    machine.handshakeDidEnd()
    #expect(machine.closeAfterFlush() == .drain)
    #expect(machine.closeAfterFlush() == .nothing, "it is on its way")
    #expect(machine.hasLeft && !machine.isSecure && !machine.acceptsOutput && !machine.awaitsInput)
    let isTold = machine.fail(Self.error)
    let isNews = machine.inputDidEnd()
    let closes = machine.close()
    #expect(!isTold && !isNews && machine.failure == nil)
    #expect(closes, "closing at once ends the draining")
  }
}
