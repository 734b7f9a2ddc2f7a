internal import TapelineCore
internal import TapelineHTTP
internal import TapelineHTTP2
@testable import TapelineOffline
internal import TapelineTime
internal import Testing

/// A capture, packet by packet.
private struct Script {
  private var reader = PacketReader(bodyLimit: 1 << 20)
  private(set) var exchanges: [ImportedExchange] = []
  /// Milliseconds after the start.
  var now = 0
  private var sent: UInt32 = 1_000
  private var received: UInt32 = .max - 20

  mutating func take(_ values: [PacketRow.Field: String]) throws {
    let nanoseconds = String(1_000_000_000 + now * 1_000_000).dropFirst()
    let fields = PacketRow.Field.allCases.map { field -> String in
      field == .time ? "1795415059.\(nanoseconds)" : values[field] ?? ""
    }
    let row = try #require(PacketRow(Array(fields.joined(separator: "\t").utf8)))
    reader.take(row) { exchanges.append($0) }
    now += 1
  }

  mutating func segment(
    fromClient: Bool, _ flags: String = "0x0018", _ payload: [UInt8] = [], at sequence: UInt32? = nil,
    with more: [PacketRow.Field: String] = [:]
  ) throws {
    var values: [PacketRow.Field: String] = [
      .stream: "0", .sourceV4: fromClient ? "192.0.2.9" : "192.0.2.1", .destinationV4: fromClient ? "192.0.2.1" : "192.0.2.9",
      .sourcePort: fromClient ? "50000" : "80", .destinationPort: fromClient ? "80" : "50000", .flags: flags,
      .sequence: "\(sequence ?? (fromClient ? sent : received))", .length: "\(payload.count)",
      .payload: payload.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(),
    ]
    values.merge(more) { $1 }
    if sequence == nil {
      let step = UInt32(payload.count) &+ (flags == "0x0002" || flags == "0x0012" ? 1 : 0)
      if fromClient { sent &+= step } else { received &+= step }
    }
    try take(values)
  }

  mutating func connect() throws {
    try segment(fromClient: true, "0x0002")
    try segment(fromClient: false, "0x0012")
    try segment(fromClient: true, "0x0010")
  }

  mutating func send(_ text: String, at sequence: UInt32? = nil) throws {
    try segment(fromClient: true, "0x0018", Array(text.utf8), at: sequence)
  }

  mutating func receive(_ text: String, at sequence: UInt32? = nil) throws {
    try segment(fromClient: false, "0x0018", Array(text.utf8), at: sequence)
  }

  /// The number of the server's next byte.
  var place: UInt32 { received }

  mutating func finish() {
    reader.finish { exchanges.append($0) }
  }
}

@Suite struct PacketReading {
  private static let request = "GET /a HTTP/1.1\r\nHost: a.test\r\n\r\n"
  private static let response = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

  @Test func aConnectionIsPaidForByItsFirstExchange() throws {
    var script = Script()
    try script.connect()
    try script.send(Self.request)
    try script.receive(Self.response)
    try script.send(Self.request)
    try script.receive(Self.response)
    #expect(script.exchanges.map(\.text) == ["hello", "hello"])
    let (first, second) = (script.exchanges[0], script.exchanges[1])
    #expect(first.distance(.connectStart, .connectEnd) == 2_000)
    #expect(first.distance(.sentLast, .responseFirstByte) == 1_000)
    #expect(first.knowsBlocked && !second.knowsBlocked)
    #expect(second.record.marks[.connectStart] == nil)
    #expect(second.record.server?.isReused == true)
    #expect(first.record.client.port == 50_000)
  }

  @Test func repeatedAndEarlySegmentsAreReadInTheirOrder() throws {
    var script = Script()
    try script.connect()
    try script.send(Self.request)
    // The sequence numbers of the server wrap around in this response.
    let start = script.place
    let pieces = [0..<10, 10..<30, 30..<Self.response.utf8.count].map {
      String(decoding: Array(Self.response.utf8)[$0], as: UTF8.self)
    }
    try script.receive(pieces[1], at: start &+ 10)
    try script.receive(pieces[0], at: start)
    try script.receive(pieces[0] + pieces[1], at: start)
    try script.receive(pieces[2], at: start &+ 30)
    let exchange = try #require(script.exchanges.first)
    #expect(exchange.text == "hello")
    #expect(exchange.distance(.responseFirstByte, .responseLastByte) == 2_000)
  }

  @Test func missingPacketsAreTheCapturesFault() throws {
    var script = Script()
    try script.connect()
    try script.send(Self.request)
    try script.receive(String(Self.response.dropFirst(4)), at: script.place &+ 4)
    try script.segment(fromClient: false, "0x0004")
    let failure = try #require(script.exchanges.first?.record.failure)
    #expect(failure.origin == .local && failure.message.contains("missing"))
  }

  @Test(arguments: [(true, "client"), (false, "upstream")]) func aResetFailsWhatIsOpen(byClient: Bool, origin: String) throws {
    var script = Script()
    try script.connect()
    try script.send(Self.request)
    try script.segment(fromClient: byClient, "0x0004")
    let failure = try #require(script.exchanges.first?.record.failure)
    #expect(failure.kind.name == "reset" && failure.origin.rawValue == origin && failure.phase == .wait)
  }

  @Test func theEndOfTheConnectionEndsAResponse() throws {
    var script = Script()
    try script.connect()
    try script.send(Self.request)
    try script.receive("HTTP/1.0 200 OK\r\n\r\nto the end")
    try script.segment(fromClient: false, "0x0011")
    #expect(script.exchanges.first?.text == "to the end")
    #expect(script.exchanges.first?.record.failure == nil)
  }

  @Test func aCaptureMayBeginWithinAConnection() throws {
    var script = Script()
    try script.receive("the rest of a response")
    try script.send("e rest of a request\r\n\r\n")
    try script.send(Self.request)
    try script.receive(Self.response)
    let exchange = try #require(script.exchanges.first)
    #expect(exchange.text == "hello")
    #expect(exchange.record.marks[.connectStart] == nil)
    #expect(exchange.record.comment?.contains("begins within") == true)
  }

  @Test func aCaptureMayEndWithinAnExchange() throws {
    var script = Script()
    try script.connect()
    try script.send(Self.request)
    script.finish()
    #expect(script.exchanges.first?.record.failure?.message.contains("capture ends") == true)
  }

  @Test func aLookupIsAPhaseOfTheConnectionAfterIt() throws {
    var script = Script()
    let names: [PacketRow.Field: String] = [.dnsID: "0x0001", .dnsName: "a.test"]
    try script.take(names.merging([.sourceV4: "192.0.2.9", .destinationV4: "192.0.2.53", .dnsIsAnswer: "0"]) { $1 })
    script.now += 9
    try script.take(
      names.merging([
        .sourceV4: "192.0.2.53", .destinationV4: "192.0.2.9", .dnsPort: "53", .dnsIsAnswer: "1", .dnsV4: "192.0.2.7,192.0.2.1",
      ]) { $1 })
    try script.connect()
    try script.send(Self.request)
    try script.receive(Self.response)
    let exchange = try #require(script.exchanges.first)
    #expect(exchange.distance(.dnsStart, .dnsEnd) == 10_000)
    #expect(exchange.record.lookup?.name == "a.test")
    #expect(exchange.record.lookup?.server == "192.0.2.53:53")
    #expect(exchange.start == exchange.record.marks[.dnsStart])
  }

  @Test func waitingForTheClientIsBlockedTime() throws {
    var script = Script()
    try script.connect()
    script.now += 500
    try script.send(Self.request)
    try script.receive(Self.response)
    let exchange = try #require(script.exchanges.first)
    let phases = ExchangePhases(exchange.record.marks)
    #expect(phases.blocked == 501_000_000 && phases.send == 0 && phases.connect == 2_000_000)
  }

  /// Requests and responses as nghttp2 writes them, in clear.
  @Test func http2IsReadFromBothSides() throws {
    var script = Script()
    try script.connect()
    let preface = RequestStart.preface + [0, 0, 0, 4, 0, 0, 0, 0, 0]
    // RFC 7541 C.3.1: GET http://www.example.com/.
    let block: [UInt8] = [0x82, 0x86, 0x84, 0x41, 0x0F] + Array("www.example.com".utf8)
    try script.segment(fromClient: true, "0x0018", preface + [0, 0, UInt8(block.count), 1, 5, 0, 0, 0, 1] + block)
    // The second request takes its authority from the table, RFC 7541 C.3.2.
    try script.segment(fromClient: true, "0x0018", [0, 0, 4, 1, 5, 0, 0, 0, 3, 0x82, 0x86, 0x84, 0xBE])
    try script.segment(fromClient: false, "0x0018", [0, 0, 0, 4, 0, 0, 0, 0, 0] + [0, 0, 4, 3, 0, 0, 0, 0, 3, 0, 0, 0, 8])
    try script.segment(
      fromClient: false, "0x0018", [0, 0, 1, 1, 4, 0, 0, 0, 1, 0x88] + [0, 0, 5, 0, 1, 0, 0, 0, 1] + Array("hello".utf8))
    #expect(script.exchanges.map(\.url) == ["GET http://www.example.com/", "GET http://www.example.com/"])
    #expect(script.exchanges[0].record.failure?.kind.name == "stream-reset")
    #expect(script.exchanges[0].record.http2?.stream?.reset?.code == .cancel)
    #expect(script.exchanges[1].text == "hello")
    #expect(script.exchanges[1].distance(.connectStart, .connectEnd) == 2_000)
    #expect(script.exchanges[0].record.marks[.connectStart] == nil)
  }

  @Test func foreignBytesAreSurvived() throws {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      var script = Script()
      try script.connect()
      try script.send(Bool.random() ? Self.request : "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
      for _ in 0..<20 {
        let bytes = (0..<Int.random(in: 0...60)).map { _ in UInt8.random(in: 0...255, using: &generator) }
        try script.segment(fromClient: .random(), ["0x0018", "0x0011", "0x0004"].randomElement() ?? "", bytes)
      }
      script.finish()
      #expect(script.exchanges.count <= 20)
    }
  }
}
