import Testing

@testable import TapelineProxy

/// The purposes of a client's HTTP/2 connection and of its streams, as conversations.
@Suite("The states of a client's HTTP/2 connection") struct HTTP2ClientStateMachineTests {
  private typealias Stream = HTTP2ClientStream.StateMachine<String, String, String, String>

  @Test("A stream's response goes out in order, and once") func response() {
    var stream = Stream(requestEnded: false)
    stream.forward("a")
    #expect(stream.isUntold && !stream.takesContent)
    var isFirst = stream.beginResponse(hasContent: true)
    #expect(isFirst && stream.takesContent && !stream.owesFrames)
    isFirst = stream.beginResponse(hasContent: true)
    #expect(!isFirst, "a head goes out once")
    let ended = stream.endResponse()
    #expect(ended && stream.owesFrames && !stream.takesContent)
    let again = stream.endResponse()
    #expect(!again)
    let isUnwanted = stream.responseDidLeave()
    #expect(!isUnwanted && !stream.owesFrames, "the exchange may still relay the rest of the request")
    let end = stream.exchangeDidEnd()
    #expect(end == .endRequest)
  }

  @Test("A head without content is the whole response") func noContent() {
    var stream = Stream(requestEnded: false)
    stream.forward("a")
    _ = stream.requestDidEnd()
    _ = stream.beginResponse(hasContent: false)
    #expect(stream.owesFrames && !stream.takesContent)
    let isUnwanted = stream.responseDidLeave()
    #expect(!isUnwanted && stream.requestEnded)
  }

  @Test("Content goes to the exchange, to the tunnel, or to nobody") func content() {
    var stream = Stream(requestEnded: false)
    #expect("\(stream.contentAction)" == "drop")
    stream.forward("a")
    #expect("\(stream.contentAction)" == "receive(\"a\")")
    stream.upgrade()
    #expect("\(stream.contentAction)" == "relay(\"a\")")
    var tunnel = Stream(requestEnded: false)
    tunnel.openTunnel("t")
    let told = tunnel.requestDidEnd()
    #expect("\(told)" == "relayInTunnel(\"t\")")
    var answered = Stream(requestEnded: false)
    let isHeard = answered.answer()
    let nobody = answered.requestDidEnd()
    #expect(isHeard && "\(nobody)" == "drop")
  }

  @Test("An exchange that ends before its response is complete leaves a stream to reset (RFC 9113 8.1)") func incomplete() {
    var stream = Stream(requestEnded: true)
    stream.openTunnel("t")
    _ = stream.beginResponse(hasContent: true)
    let end = stream.exchangeDidEnd()
    #expect(end == .breakOff && stream.isOver)
    let work = stream.lose()
    #expect("\(work)" == "nothing")
  }

  @Test("A tunnel whose server has ended goes on in the other direction (RFC 9113 8.5)") func halfClose() {
    var stream = Stream(requestEnded: false)
    stream.openTunnel("t")
    _ = stream.beginResponse(hasContent: true)
    _ = stream.endResponse()
    let isUnwanted = stream.responseDidLeave()
    #expect(!isUnwanted && "\(stream.contentAction)" == "relayInTunnel(\"t\")")
    let end = stream.exchangeDidEnd()
    #expect(end == .endRequest)
  }

  @Test("A lost stream tells whose work ends, once") func loss() {
    var stream = Stream(requestEnded: true)
    stream.gather("m")
    let work = stream.lose()
    #expect("\(work)" == "answer(\"m\")" && stream.isOver)
    let rest = stream.lose()
    #expect("\(rest)" == "nothing")
    let isHeard = stream.answer()
    #expect(!isHeard && !stream.isUntold && stream.requestEnded)
    let end = stream.exchangeDidEnd()
    #expect(end == .nothing, "an exchange may end after its stream")
  }

  @Test("A request is held until its end, and is not lost before it") func held() {
    var stream = Stream(requestEnded: false)
    stream.hold("r")
    #expect("\(stream.work)" == "request(\"r\")" && "\(stream.contentAction)" == "drop" && stream.isUntold)
    let released = stream.release()
    let again = stream.release()
    #expect(released == "r" && again == nil)
    stream.forward("a")
    let told = stream.requestDidEnd()
    #expect("\(told)" == "receive(\"a\")")
    var lost = Stream(requestEnded: false)
    lost.hold("r")
    let work = lost.lose()
    let late = lost.release()
    #expect("\(work)" == "request(\"r\")" && late == nil && lost.isOver)
    var late408 = Stream(requestEnded: false)
    late408.hold("r")
    let isHeard = late408.answer()
    #expect(isHeard && "\(late408.work)" == "rest")
  }

  @Test("A connection opens, serves, drains and closes, each once") func connection() {
    var machine = HTTP2ClientConnection.StateMachine()
    #expect(machine.isOpening && machine.timeoutAction == .refuse)
    let isFirst = machine.settingsDidCome()
    let isSecond = machine.settingsDidCome()
    #expect(isFirst && !isSecond && machine.timeoutAction == .shutDown)
    let begins = machine.beginShutdown()
    let beginsAgain = machine.beginShutdown()
    #expect(begins && !beginsAgain && machine.timeoutAction == .close)
    machine.clientDidFail()
    #expect(machine.hasFailed && machine.isOpen)
    let closes = machine.close()
    let closesAgain = machine.close()
    #expect(closes && !closesAgain && !machine.isOpen && machine.timeoutAction == .nothing)
  }

  @Test("Output is delivered when the kernel has the stream's last byte") func ledger() {
    var ledger = OutputLedger(earlier: 10)
    ledger.append(5)
    ledger.note(1)
    ledger.note(1)
    ledger.append(5)
    ledger.note(3)
    ledger.note(1)
    let early = ledger.deliver(14)
    #expect(early.isEmpty)
    let first = ledger.deliver(1)
    #expect(first == [1])
    let rest = ledger.deliver(5)
    #expect(rest == [3, 1] && ledger.delivered == ledger.written)
  }
}
