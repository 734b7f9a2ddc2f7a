import Testing

@testable import TapelineProxy

/// The purposes of a client's HTTP/2 connection and of its streams, as conversations.
@Suite("The states of a client's HTTP/2 connection") struct HTTP2ClientStateMachineTests {
  private typealias Stream = HTTP2ClientStream.StateMachine<String, String, String>

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
    #expect(isUnwanted && !stream.owesFrames, "the request has not ended: nobody wants the rest")
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

  @Test("Waiting content leaves in order, whatever the windows are", arguments: [1, 3, 100]) func outgoing(limit: Int) {
    var content = OutgoingContent()
    var sent: [UInt8] = []
    for round in 0..<5 {
      content.append([UInt8(4 * round), UInt8(4 * round + 1), UInt8(4 * round + 2), UInt8(4 * round + 3)].span)
      sent += content.take(limit)
    }
    while !content.isEmpty { sent += content.take(limit) }
    #expect(sent == Array(0..<20))
    content.append([1].span)
    content.drop()
    #expect(content.isEmpty)
  }
}
