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
  private let answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"

  private func get(_ origin: ScriptedOrigin) -> String { "GET \(origin.url()) HTTP/1.1\r\nHost: h\r\n\r\n" }

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
    try proxy.expect(.requestFirstByte, of: record, within: pause)
    try proxy.expect(.requestHeadEnd, of: record, within: pause)
    try proxy.expectQueue(of: record)
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
    try proxy.expect(.requestFirstByte, of: record, within: pause)
    try proxy.expectQueue(of: record)
  }

  @Test func theEndOfARequestThatWaitsToBeRead() throws {
    let origin = try ScriptedOrigin([.expectRequest, .respond(body: "hello"), .expectEnd])
    let proxy = try BusyProxy()
    let client = try proxy.connect()
    try client.send("POST \(origin.url()) HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\n")
    // The loop has the head: it opens a connection.
    _ = try origin.waitForConnections(1)
    let pause = try proxy.whileBusy {
      try client.send("body")
      try waitForUnreadBytes(4, sentFrom: client.localPort)
    }
    _ = try client.receiveResponse(to: "POST")
    let record = try proxy.record()
    try proxy.expect(.requestLastByte, of: record, within: pause)
    #expect(try #require(record.marks[.requestHeadEnd]) < pause.began)
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
    #expect(isAsked.wait(timeout: .now() + 120) == .success)
    let pause = try proxy.whileBusy {
      mayAnswer.signal()
      try waitForUnreadBytes(sentFrom: origin.port)
    }
    _ = try client.receiveResponse()
    let record = try proxy.record()
    try proxy.expect(.responseFirstByte, of: record, within: pause)
    try proxy.expect(.responseLastByte, of: record, within: pause)
    try proxy.expectQueue(of: record)
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
    try proxy.expect(.responseLastByte, of: record, within: pause)
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
    let proxy = try ProxyHarness { $0.sharesConnections = true }
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
