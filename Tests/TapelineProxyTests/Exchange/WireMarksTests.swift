import Dispatch
import TapelineCore
import TapelineLoop
import TapelineSystem
import TapelineTestSupport
import TapelineTime
import Testing

@testable import TapelineProxy

/// The marks of an exchange while the loop is held up by another one: bytes that come meanwhile came when they came.
@Suite struct WireMarksTests {
  /// A proxy whose only loop can be held up: it stays in the recording of an exchange until it is let go.
  private final class BusyProxy: Sendable {
    private let harness: ProxyHarness
    private let isBusy = DispatchSemaphore(value: 0)
    private let release = DispatchSemaphore(value: 0)

    init() throws {
      harness = try ProxyHarness(recording: { [isBusy, release] record in
        guard record.request == nil else { return }
        isBusy.signal()
        release.wait()
      })
    }

    func connect() throws -> RawClient { try harness.connect() }

    /// The record of the exchange with a request.
    func record() throws -> ExchangeRecord {
      try #require(try harness.records(2).first { $0.request != nil })
    }

    /// Runs `body`, during which bytes come, and twenty milliseconds more while the loop does nothing else. Returns when the
    /// bytes had come and when the loop went on.
    func whileBusy(_ body: () throws -> Void) throws -> (began: MonotonicInstant, came: MonotonicInstant, ended: MonotonicInstant)
    {
      // No request, but an exchange to record.
      let other = try harness.connect()
      try other.send("nonsense\r\n\r\n")
      #expect(isBusy.wait(timeout: .now() + 10) == .success)
      let began = MonotonicInstant.now
      defer { release.signal() }
      try body()
      let came = MonotonicInstant.now
      SystemThread.sleep(untilMonotonicNanoseconds: came.nanoseconds + 20_000_000)
      return (began, came, .now)
    }
  }

  private let answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"

  private func get(_ origin: ScriptedOrigin) -> String { "GET \(origin.url()) HTTP/1.1\r\nHost: h\r\n\r\n" }

  /// The mark lies where the bytes came, although the loop could only read them later, and the wait is told.
  private func expect(
    _ mark: TimelineMark, of record: ExchangeRecord,
    within pause: (began: MonotonicInstant, came: MonotonicInstant, ended: MonotonicInstant),
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    let instant = try #require(record.marks[mark], sourceLocation: location)
    #expect(instant.clock == .wire, sourceLocation: location)
    #expect(instant >= pause.began && instant <= pause.came, sourceLocation: location)
  }

  private func expectQueue(of record: ExchangeRecord, _ location: SourceLocation = #_sourceLocation) throws {
    #expect(try #require(record.marks.queue) >= 20_000_000, sourceLocation: location)
  }

  @Test func aConnectionThatWaitsToBeAccepted() throws {
    let origin = try ScriptedOrigin([.expectRequest, .respond(body: "hello"), .expectEnd])
    let proxy = try BusyProxy()
    var client: RawClient?
    let pause = try proxy.whileBusy {
      let waiting = try proxy.connect()
      try waiting.send(get(origin))
      try waitForUnreadBytes(sentFrom: waiting.localPort)
      client = waiting
    }
    #expect(try client?.receiveResponse().bodyText == "hello")
    let record = try proxy.record()
    try expect(.requestFirstByte, of: record, within: pause)
    try expect(.requestHeadEnd, of: record, within: pause)
    try expectQueue(of: record)
    let accepted = try #require(record.marks[.accepted])
    #expect(try accepted <= #require(record.marks[.requestFirstByte]))
  }

  @Test func aRequestThatWaitsToBeRead() throws {
    let origin = try ScriptedOrigin([.expectRequest, .respond(body: "hello"), .expectEnd])
    let proxy = try BusyProxy()
    let client = try proxy.connect()
    let pause = try proxy.whileBusy {
      try client.send(get(origin))
      try waitForUnreadBytes(sentFrom: client.localPort)
    }
    _ = try client.receiveResponse()
    let record = try proxy.record()
    try expect(.requestFirstByte, of: record, within: pause)
    try expectQueue(of: record)
  }

  @Test func aResponseThatWaitsToBeRead() throws {
    let isAsked = DispatchSemaphore(value: 0)
    let mayAnswer = DispatchSemaphore(value: 0)
    let origin = try ScriptedOrigin([
      .expectRequest, .run { _ in isAsked.signal() }, .run { _ in mayAnswer.wait() }, .respond(body: "hello"), .expectEnd,
    ])
    let proxy = try BusyProxy()
    let client = try proxy.connect()
    try client.send(get(origin))
    #expect(isAsked.wait(timeout: .now() + 10) == .success)
    let pause = try proxy.whileBusy {
      mayAnswer.signal()
      try waitForUnreadBytes(sentFrom: origin.port)
    }
    _ = try client.receiveResponse()
    let record = try proxy.record()
    try expect(.responseFirstByte, of: record, within: pause)
    try expect(.responseLastByte, of: record, within: pause)
    try expectQueue(of: record)
    // The server's time ends with its bytes, and the loop's is the proxy's.
    let sent = try #require(record.marks[.sentLast])
    let phases = ExchangePhases(record.marks)
    #expect(phases.wait <= pause.came.nanoseconds(since: sent))
    #expect(phases.receive < 20_000_000)
    let delivered = try #require(record.marks[.deliveredFirst])
    #expect(delivered >= pause.ended)
  }

  @Test func theEndOfAResponseThatWaitsToBeRead() throws {
    let mayEnd = DispatchSemaphore(value: 0)
    let origin = try ScriptedOrigin([
      .expectRequest, .send(answer), .run { _ in mayEnd.wait() }, .send("hello"), .expectEnd,
    ])
    let proxy = try BusyProxy()
    let client = try proxy.connect()
    try client.send(get(origin))
    _ = try client.receiveHead()
    let pause = try proxy.whileBusy {
      mayEnd.signal()
      try waitForUnreadBytes(5, sentFrom: origin.port)
    }
    #expect(try client.receive(exactly: 5) == Array("hello".utf8))
    let record = try proxy.record()
    try expect(.responseLastByte, of: record, within: pause)
    let first = try #require(record.marks[.responseFirstByte])
    #expect(first < pause.began)
    let phases = ExchangePhases(record.marks)
    #expect(phases.receive <= pause.came.nanoseconds(since: first))
  }

  /// The kernel knows of one arrival, the loop of the order: nothing goes back, and the phases add up.
  @Test func theOrderOfTheMarksAndTheSumOfThePhasesStay() throws {
    let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "hello")])])
    let proxy = try ProxyHarness()
    let client = try proxy.connect()
    for _ in 0..<20 {
      try client.send(get(origin))
      _ = try client.receiveResponse()
    }
    for record in try proxy.records(20) {
      let order: [TimelineMark] = [
        .accepted, .requestFirstByte, .requestHeadEnd, .queued, .sentFirst, .responseFirstByte, .responseHeadEnd,
        .responseLastByte, .deliveredLast,
      ]
      let instants = try order.map { try #require(record.marks[$0], "\($0)") }
      #expect(instants == instants.sorted())
      let phases = ExchangePhases(record.marks)
      #expect([phases.blocked, phases.send, phases.wait, phases.receive].allSatisfy { $0 >= 0 })
      let end = try #require(record.marks[.responseLastByte])
      let sent = try #require(record.marks[.sentLast])
      #expect(phases.total == max(end, sent).nanoseconds(since: instants[2]))
    }
  }

  /// Requests that came together: the kernel says when the last of their bytes came, so the loop answers for the second.
  @Test func aPipelinedRequestHasTheLoopsMark() throws {
    let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "hello")])])
    let proxy = try ProxyHarness()
    let client = try proxy.connect()
    try client.send(get(origin) + get(origin))
    _ = try client.receiveResponse()
    _ = try client.receiveResponse()
    let records = try proxy.records(2)
    #expect(records.map { $0.marks[.requestFirstByte]?.clock } == [.wire, .loop])
    #expect(records.map { $0.marks[.responseFirstByte]?.clock } == [.wire, .wire])
  }

  /// A connection that dies under its second request: the time of the first attempt is nobody's wait but the connection's.
  @Test func theTimeOfALostAttemptIsBlockedAndNotTheServers() throws {
    let origin = try ScriptedOrigin(scripts: { connection in
      connection == 0
        ? [.expectRequest, .respond(body: "one"), .expectRequest, .delay(milliseconds: 60), .reset]
        : [.expectRequest, .respond(body: "two"), .expectEnd]
    })
    let proxy = try ProxyHarness()
    let client = try proxy.connect()
    try client.send(get(origin))
    _ = try client.receiveResponse()
    let began = MonotonicInstant.now
    try client.send(get(origin))
    #expect(try client.receiveResponse().bodyText == "two")
    let record = try #require(try proxy.records(2).last)
    #expect(record.attempts == 2)
    let phases = ExchangePhases(record.marks)
    #expect(phases.blocked >= 60_000_000)
    let second = try #require(try origin.waitForConnections(2).last)
    let asked = try #require(second.receivedPieces.first).instant
    let queued = try #require(record.marks[.queued])
    #expect(queued <= asked && queued.nanoseconds(since: began) >= 60_000_000)
    // Once: the whole is what the client saw at most.
    #expect(phases.total <= MonotonicInstant.now.nanoseconds(since: began))
    #expect(phases.wait + phases.receive + phases.send <= MonotonicInstant.now.nanoseconds(since: queued))
  }
}
