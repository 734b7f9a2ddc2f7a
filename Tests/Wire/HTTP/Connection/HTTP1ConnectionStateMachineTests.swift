import Testing

@testable import TapelineHTTP

/// The machine alone, as a conversation.
@Suite struct StateMachineTests {
  private typealias StateMachine = HTTP1Connection.StateMachine

  private func name(_ reading: StateMachine.Reading) -> String {
    switch reading {
    case .message(.nothing): "nothing"
    case .message(.head): "head"
    case .message(.bytes(let count)): "bytes \(count)"
    case .message(.chunks): "chunks"
    case .message(.close): "close"
    case .message(.end): "end"
    case .opaque: "opaque"
    case .closed: "closed"
    }
  }

  private func afterHead(_ framing: BodyFraming) -> StateMachine {
    var machine = StateMachine()
    machine.headStarted()
    machine.headReceived(framing)
    return machine
  }

  @Test func theFramingSaysWhatIsOwed() {
    #expect(name(afterHead(.none).reading) == "end")
    #expect(name(afterHead(.length(0)).reading) == "end")
    #expect(name(afterHead(.length(3)).reading) == "bytes 3")
    #expect(name(afterHead(.chunked).reading) == "chunks")
    #expect(name(afterHead(.untilClose).reading) == "close")
  }

  @Test func aMessageIsReadToItsEnd() {
    var machine = StateMachine()
    #expect(name(machine.reading) == "nothing")
    machine.headStarted()
    machine.headStarted()
    #expect(name(machine.reading) == "head")
    machine.headReceived(.length(5))
    machine.contentReceived(2)
    #expect(name(machine.reading) == "bytes 3")
    machine.contentReceived(3)
    #expect(name(machine.reading) == "end")
    machine.messageEnded(then: .message)
    #expect(name(machine.reading) == "nothing")
  }

  @Test func theSequelDecidesWhatComesNext() {
    var tunnel = afterHead(.none)
    tunnel.messageEnded(then: .opaque)
    #expect(name(tunnel.reading) == "opaque")
    var last = afterHead(.untilClose)
    last.messageEnded(then: .close)
    #expect(name(last.reading) == "closed")
  }

  @Test func anInformationalHeadOwesAnother() {
    var machine = StateMachine()
    machine.headStarted()
    machine.informationalReceived()
    #expect(name(machine.reading) == "nothing")
  }

  @Test func moreContentThanOwedIsImpossible() async {
    await #expect(processExitsWith: .failure) {
      var machine = HTTP1Connection.StateMachine()
      machine.headStarted()
      machine.headReceived(.length(1))
      machine.contentReceived(2)
    }
  }

  @Test func anEndInsideContentIsImpossible() async {
    await #expect(processExitsWith: .failure) {
      var machine = HTTP1Connection.StateMachine()
      machine.headStarted()
      machine.headReceived(.length(1))
      machine.messageEnded(then: .message)
    }
  }
}
