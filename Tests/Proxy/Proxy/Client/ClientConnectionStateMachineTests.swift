import TapelineHTTP
import TapelineTime
import Testing

@testable import TapelineProxy

/// The purposes of a client's connection, as conversations and as a table of each phase and event.
@Suite("The states of a client's connection")
struct ClientConnectionStateMachineTests {
  private typealias Machine = ClientConnection.StateMachine<String, String>
  private static let instant = MonotonicInstant(nanoseconds: 7)

  enum Phase: String, CaseIterable, CustomTestStringConvertible {
    case idle, readingHead, exchanging, delivering, gathering, answered, upgraded, closed

    var testDescription: String { rawValue }
  }

  /// A connection that has come to a phase as connections do.
  private func machine(in phase: Phase) -> Machine {
    var machine = Machine()
    switch phase {
    case .idle:
      break
    case .readingHead:
      machine.requestDidBegin(at: Self.instant)
    case .exchanging, .delivering:
      machine.forward("exchange", HTTP1Exchange(persists: true))
      if phase == .delivering { _ = machine.requestDidEnd() }
    case .gathering:
      machine.gather("answer")
    case .answered:
      machine.answer()
    case .upgraded:
      machine.forward("exchange", HTTP1Exchange(persists: true))
      _ = machine.upgrade()
    case .closed:
      machine.close()
    }
    return machine
  }

  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  // MARK: Each phase and event

  @Test("The connection does with bytes what its phase says", arguments: Phase.allCases)
  func input(phase: Phase) {
    let expected =
      switch phase {
      case .idle, .readingHead, .answered: "parse"
      case .exchanging: "parseContent"
      case .delivering, .gathering: "hold"
      case .upgraded: #"relay("exchange")"#
      case .closed: "nothing"
      }
    #expect("\(machine(in: phase).inputAction)" == expected)
  }

  @Test("A half-close ends a stream's direction, and is a hang-up everywhere else (RFC 9112 9.6)", arguments: Phase.allCases)
  func inputEnd(phase: Phase) {
    let expected =
      switch phase {
      case .upgraded: #"tell("exchange")"#
      case .idle, .readingHead, .exchanging, .delivering, .gathering, .answered, .closed: "hangUp"
      }
    #expect("\(machine(in: phase).inputEndAction)" == expected)
  }

  @Test("The exchange hears that bytes were taken", arguments: Phase.allCases)
  func output(phase: Phase) {
    let expected =
      switch phase {
      case .exchanging, .delivering: #"exchange("exchange")"#
      case .upgraded: #"stream("exchange")"#
      case .idle, .readingHead, .gathering, .answered, .closed: "nothing"
      }
    #expect("\(machine(in: phase).outputAction)" == expected)
  }

  @Test(
    "Malformed bytes are answered where a request may begin, and told to the exchange that they belong to",
    arguments: Phase.allCases)
  func refusal(phase: Phase) {
    let expected =
      switch phase {
      case .idle, .readingHead: "answer"
      case .exchanging, .delivering: #"tell("exchange")"#
      case .gathering: #"answerInstead("answer")"#
      case .answered, .upgraded, .closed: "close"
      }
    var machine = machine(in: phase)
    let action = machine.requestDidFail()
    #expect("\(action)" == expected)
    guard case .delivering = phase else { return }
    let end = machine.exchangeDidEnd(endsWithOrigin: false)
    #expect(end == .end(clientMaySend: true), "no request follows one that was malformed")
  }

  @Test("Patience runs out in each phase in its own way", arguments: Phase.allCases)
  func timeout(phase: Phase) {
    let expected =
      switch phase {
      case .idle: "close"
      case .readingHead: "refuseHead"
      case .exchanging, .delivering: #"askExchange("exchange")"#
      case .upgraded: "loseStream"
      case .gathering, .answered, .closed: "loseRequest"
      }
    #expect("\(machine(in: phase).timeoutAction)" == expected)
  }

  @Test("The work that a lost client leaves is recorded, whatever it is", arguments: Phase.allCases)
  func loss(phase: Phase) {
    let expected =
      switch phase {
      case .idle, .answered: "close"
      case .readingHead: "recordRequest"
      case .gathering: #"recordAnswer("answer")"#
      case .exchanging, .delivering, .upgraded: #"tell("exchange")"#
      case .closed: "nothing"
      }
    #expect("\(machine(in: phase).lossAction)" == expected)
  }

  @Test("Each phase says whether a request may begin, when it began, and whose bytes come", arguments: Phase.allCases)
  func questions(phase: Phase) {
    let machine = machine(in: phase)
    #expect(machine.awaitsRequest == [.idle, .readingHead].contains(phase))
    #expect(machine.awaitsFirstByte == (phase == .idle))
    #expect(machine.began == (phase == .readingHead ? Self.instant : nil))
    #expect(machine.receiver == ([.exchanging, .delivering].contains(phase) ? "exchange" : nil))
    #expect(machine.requestEnded == (phase == .exchanging ? false : phase == .delivering ? true : nil))
    #expect(machine.parses == [.exchanging, .delivering, .gathering, .answered].contains(phase))
    #expect(machine.gathered == (phase == .gathering ? "answer" : nil))
    #expect(machine.exchange == ([.exchanging, .delivering, .upgraded].contains(phase) ? "exchange" : nil))
  }

  @Test("All of a request is told to its exchange; after our own answer the next request may begin", arguments: Phase.allCases)
  func requestEnd(phase: Phase) {
    var machine = machine(in: phase)
    let end = machine.requestDidEnd()
    switch phase {
    case .exchanging, .delivering:
      #expect("\(end)" == #"tell("exchange")"# && machine.requestEnded == true)
    case .answered:
      #expect("\(end)" == "proceed" && machine.awaitsFirstByte)
    case .idle, .readingHead, .gathering, .upgraded, .closed:
      #expect("\(end)" == "nothing")
    }
  }

  @Test("A message is noted in an exchange of messages alone", arguments: Phase.allCases)
  func notes(phase: Phase) {
    var machine = machine(in: phase)
    let persists = machine.note { $0.begin(.chunked, mayPersist: true) }
    switch phase {
    case .exchanging, .delivering: #expect(persists == true && machine.passage == .chunk)
    case .idle, .readingHead, .gathering, .answered, .upgraded, .closed:
      #expect(persists == nil && machine.passage == .none)
    }
  }

  @Test("Bytes pass as they are in a response with a length", arguments: Phase.allCases)
  func passages(phase: Phase) {
    var machine = machine(in: phase)
    #expect(machine.passesAsItIs == false)
    _ = machine.note { $0.begin(.length(9), mayPersist: true) }
    switch phase {
    case .exchanging, .delivering: #expect(machine.passesAsItIs == true)
    case .idle, .readingHead, .gathering, .answered, .upgraded, .closed:
      #expect(machine.passesAsItIs == false)
    }
    _ = machine.note { $0.begin(.chunked, mayPersist: true) }
    #expect(machine.passesAsItIs == false)
  }

  // MARK: Conversations

  @Test("Requests that are pipelined wait, in order, for the end of the exchange (RFC 9112 9.3.2)")
  func pipelining() {
    var machine = machine(in: .delivering)
    machine.hold(bytes("GET /2").span)
    machine.hold(bytes(" HTTP/1.1").span)
    #expect(machine.holdsInput == true)
    _ = machine.note { $0.begin(.length(3), mayPersist: true) }
    let end = machine.exchangeDidEnd(endsWithOrigin: false)
    #expect(end == .proceed && machine.awaitsFirstByte)
    #expect("\(machine.inputAction)" == "hold", "bytes that come now wait until the first ones are parsed")
    let input = machine.takeInput()
    #expect(input == bytes("GET /2 HTTP/1.1") && !machine.holdsInput)
    #expect("\(machine.inputAction)" == "parse")
  }

  @Test("A connection whose origin has ended its own ends with the exchange, unless the client has asked for more")
  func endOfOrigin() {
    var idle = machine(in: .delivering)
    _ = idle.note { $0.begin(.length(3), mayPersist: true) }
    let ends = idle.exchangeDidEnd(endsWithOrigin: true)
    #expect(ends == .end(clientMaySend: true))
    var pipelined = machine(in: .delivering)
    _ = pipelined.note { $0.begin(.length(3), mayPersist: true) }
    pipelined.hold(bytes("G").span)
    let proceeds = pipelined.exchangeDidEnd(endsWithOrigin: true)
    #expect(proceeds == .proceed)
    var answered = machine(in: .delivering)
    _ = answered.note { $0.answer() }
    let goesOn = answered.exchangeDidEnd(endsWithOrigin: true)
    #expect(goesOn == .proceed, "our own answer says that the connection persists")
  }

  @Test("No request follows an exchange whose own request is incomplete, or another protocol")
  func ends() {
    for phase in [Phase.exchanging, .upgraded] {
      var machine = machine(in: phase)
      let end = machine.exchangeDidEnd(endsWithOrigin: false)
      #expect(end == .end(clientMaySend: true))
    }
    var closed = machine(in: .closed)
    let nothing = closed.exchangeDidEnd(endsWithOrigin: false)
    #expect(nothing == .nothing)
  }

  @Test("A client that has said that it sends nothing more, and has sent all and no more, is not waited for (RFC 9112 9.6)")
  func lastRequest() {
    for (isLast, isWhole, holds) in [(true, true, false), (true, true, true), (true, false, false), (false, true, false)] {
      var machine = machine(in: .idle)
      machine.forward("exchange", HTTP1Exchange(isLast: isLast))
      if isWhole { _ = machine.requestDidEnd() }
      if holds { machine.hold(bytes("\r\n").span) }
      _ = machine.note { $0.begin(.length(3), mayPersist: false) }
      let end = machine.exchangeDidEnd(endsWithOrigin: false)
      #expect(end == .end(clientMaySend: !(isLast && isWhole) || holds), "\(isLast) \(isWhole) \(holds)")
    }
    var machine = machine(in: .idle)
    machine.forward("exchange", HTTP1Exchange(isLast: true))
    _ = machine.requestDidEnd()
    _ = machine.requestDidFail()
    let end = machine.exchangeDidEnd(endsWithOrigin: false)
    #expect(end == .end(clientMaySend: true), "it has not kept to it")
  }

  @Test("After a 101 the bytes that have come already belong to the other protocol (RFC 9110 7.8)")
  func upgrades() {
    var machine = machine(in: .delivering)
    machine.hold(bytes("frame").span)
    _ = machine.note { $0.upgrade() }
    let early = machine.upgrade()
    #expect(early == bytes("frame") && !machine.holdsInput)
    #expect("\(machine.lossAction)" == #"tell("exchange")"# && "\(machine.timeoutAction)" == "loseStream")
  }

  @Test("A request that waits for our answer is no longer answered once its connection has ended")
  func gathering() {
    var machine = machine(in: .gathering)
    #expect(machine.gathered == "answer")
    machine.answer()
    let end = machine.requestDidEnd()
    #expect("\(end)" == "proceed" && machine.awaitsFirstByte)
    var closed = self.machine(in: .gathering)
    closed.hold(bytes("G").span)
    closed.close()
    #expect(closed.gathered == nil && !closed.holdsInput)
  }
}
