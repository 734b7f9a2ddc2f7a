import FoundationEssentials
import Synchronization
import TapelineHTTP
import TapelineHTTP2
import TapelineTLS
import TapelineTestSupport
import TapelineTime
import Testing

@testable import TapelineCore

@Suite("A recorded session hands on a record of each exchange")
struct RecordedTaskTests {
  private let shelf: Shelf
  private let chain: IssuedChain
  private let session: Session

  init() throws {
    chain = try IssuedChain.shared.get()
    let shelf = Shelf()
    var configuration = SessionConfiguration.patient
    configuration.tls.trustRoots = .only([chain.root.certificate])
    configuration.recorder = SessionRecorder(bodyLimit: 8, inlet: { Inlet(shelf) }, ending: {})
    self.shelf = shelf
    session = Session(configuration: configuration)
  }

  /// What sessions have recorded.
  private final class Shelf: Sendable {
    private let drafts = Mutex<[RecordDraft]>([])

    var records: [ExchangeRecord] { drafts.withLock { $0.map(\.record) } }

    func put(_ draft: RecordDraft) { drafts.withLock { $0.append(draft) } }
  }

  private final class Inlet: LoopRecorder {
    private let shelf: Shelf
    private var kept: [RecordDraft] = []

    init(_ shelf: Shelf) { self.shelf = shelf }

    func record(_ draft: RecordDraft) { kept.append(draft) }

    func handOn() {
      for draft in kept { shelf.put(draft) }
      kept = []
    }
  }

  private func origin(script: @escaping @Sendable (HTTP2Peer, Int) throws -> Void) throws -> ScriptedOrigin {
    let context = try TLSServerContext(applicationProtocols: [.http2, .http11])
    return try HTTP2Origin.start(
      HTTP2Origin.TLS(context: context, credentials: chain.leaf.credentials(sending: [chain.middle])), patience: 600,
      script: script)
  }

  @Test("HTTP/2 over TLS: the lines that went out, the streams, the handshake")
  func http2() async throws {
    let origin = try origin { peer, _ in
      for status in [307, 200] {
        let stream = try peer.nextRequest()
        _ = try peer.receiveBody(of: stream)
        try peer.respond(stream, status, [("location", "/there")], body: "\(status)")
      }
      try peer.waitForEnd()
    }
    let url = "https://localhost:\(origin.port)"
    let response = await session.upload(Data("side A and B".utf8), to: url + "/here").serializingString().response
    #expect(response.value == "200")
    let records = shelf.records
    #expect(records.map { $0.request?.urlText(implied: $0.implied) } == [url + "/here", url + "/there"])
    #expect(records.map(\.response?.status) == [307, 200])
    #expect(records.map(\.http2?.stream?.id) == [1, 3])
    #expect(records.allSatisfy { $0.request?.version == .http2 && $0.http2?.request != nil && $0.http2?.response != nil })
    #expect(records.map(\.requestBody.size) == [12, 12])
    #expect(records.map { String(decoding: $0.requestBody.bytes, as: UTF8.self) } == ["side A a", "side A a"])
    #expect(records.map(\.responseBody.size) == [3, 3])
    #expect(records.allSatisfy { $0.serverTLS?.applicationProtocol == "h2" && $0.attempts == 1 })
    #expect(records.map { $0.server?.isReused } == [false, true])
  }

  @Test(
    "HTTP/2: the content of an answer that led on is counted, although it came after the next request",
    arguments: [("307", "location", "/there"), ("401", "www-authenticate", #"Basic realm="tapes""#)])
  func lateContent(status: String, name: String, value: String) async throws {
    let origin = try origin { peer, _ in
      let first = try peer.nextRequest()
      try peer.sendHead(first, try #require(Int(status)), [(name, value)])
      let second = try peer.nextRequest()
      try peer.send("twelve bytes", on: first)
      try peer.send(" and four", on: first, isLast: true)
      try peer.respond(second, 200, body: "answer")
      try peer.waitForEnd()
    }
    let request = session.request("https://localhost:\(origin.port)/here").authenticate(username: "ada", password: "loopback")
    let response = await request.serializingString().response
    #expect(response.value == "answer")
    #expect(shelf.records.map(\.response?.status) == [Int(status), 200])
    #expect(shelf.records.map(\.responseBody.size) == [21, 6])
    #expect(response.metrics?.transactions.map(\.responseBodyBytes) == [21, 6])
  }

  @Test("The marks are the transport's, between those of the program")
  func marks() async throws {
    let origin = try ScriptedOrigin(patience: 600, [.expectRequest, .respond(body: "ok"), .expectEnd])
    let response = await session.request(origin.url()).serializingData().response
    let record = try #require(shelf.records.first)
    let transaction = try #require(response.metrics?.transactions.first)
    for mark in TimelineMark.allCases where mark >= .queued && mark <= .responseLastByte {
      #expect(record.marks[mark] == transaction.marks[mark])
    }
    let began = try #require(record.marks[.requestHeadEnd])
    let queued = try #require(record.marks[.queued])
    let delivered = try #require(record.marks[.deliveredFirst])
    #expect(began <= queued)
    #expect(try #require(record.marks[.responseFirstByte]) <= delivered)
  }

  @Test("A connection that had died is another attempt of the same exchange")
  func replaced() async throws {
    let origin = try ScriptedOrigin(patience: 600) { number in
      number == 0
        ? [.expectRequest, .respond(body: "first"), .expectRequest, .close]
        : [.expectRequest, .respond(body: "again"), .expectEnd]
    }
    _ = await session.request(origin.url("/1")).serializingString().response
    let response = await session.request(origin.url("/2")).serializingString().response
    #expect(response.value == "again")
    #expect(shelf.records.map(\.attempts) == [1, 2])
    #expect(shelf.records.map { String(decoding: $0.responseBody.bytes, as: UTF8.self) } == ["first", "again"])
  }

  @Test("A request that was cancelled before it was on its way is no exchange")
  func neverBegun() async throws {
    let request = session.request("http://localhost:1/", shouldAutomaticallyResume: false)
    request.cancel()
    _ = await request.serializingData().response
    #expect(shelf.records.isEmpty)
  }

  @Test("Without a recorder, a task's neighbours are those it always had")
  func off() {
    #expect(SessionConfiguration().recorder == nil)
    #expect(MemoryLayout<RequestHead>.size <= 128)
  }
}
