import FoundationEssentials
import Synchronization
import TapelineCore
import TapelineHTTP
import TapelineTestSupport
import TapelineTime
import TapelineTransport
import Testing

@testable import TapelineProxy

/// A session that records itself, and a proxy that records the same exchanges on their way.
@Suite("A session's records and a proxy's") struct RecordedSessionTests {
  private final class Shelf: Sendable {
    private let kept = Mutex<[ExchangeRecord]>([])

    var records: [ExchangeRecord] { kept.withLock { $0 } }

    func put(_ record: ExchangeRecord) { kept.withLock { $0.append(record) } }
  }

  private final class Inlet: LoopRecorder {
    private let shelf: Shelf

    init(_ shelf: Shelf) { self.shelf = shelf }

    func record(_ draft: RecordDraft) { shelf.put(draft.record) }

    func handOn() {}
  }

  private let shelf = Shelf()

  private func session(through proxy: ProxyHarness) -> Session {
    var configuration = SessionConfiguration.default
    configuration.connectTimeout = 3_600
    configuration.responseTimeout = 3_600
    configuration.idleTimeout = 3_600
    configuration.upstreamProxy = UpstreamProxy(host: "127.0.0.1", port: proxy.port)
    configuration.recorder = SessionRecorder(bodyLimit: 1 << 20, inlet: { [shelf] in Inlet(shelf) }, ending: {})
    return Session(configuration: configuration)
  }

  @Test("What the proxy saw is what the session sent and got, and lies within it")
  func same() async throws {
    let origin = try ScriptedOrigin(
      patience: 600,
      [
        .expectRequest, .respond(fields: ["X-Side: A", "Set-Cookie: a=b"], body: "hello"), .expectRequest,
        .respond("302 Found", fields: ["Location: /there"], body: "moved"), .expectRequest, .respond(body: "there"), .expectEnd,
      ])
    let proxy = try ProxyHarness()
    let session = session(through: proxy)
    _ = await session.request(origin.url("/1?a=b"), headers: ["X-Own": "1"]).serializingData().response
    _ = await session.upload(Data("side B".utf8), to: origin.url("/2")).serializingData().response
    let (own, seen) = (shelf.records, try proxy.records(3))
    #expect(own.count == 3)
    for (own, seen) in zip(own, seen) {
      let (sent, received) = (try #require(own.request), try #require(seen.request))
      #expect(sent.method == received.method)
      #expect(sent.urlText(implied: own.implied) == received.urlText(implied: seen.implied))
      #expect(Self.lines(sent.fields) == Self.lines(received.fields))
      #expect(own.requestBody.bytes == seen.requestBody.bytes)
      #expect(own.response?.status == seen.response?.status)
      #expect(own.responseBody.size == seen.responseBody.size)
      #expect(own.failure == nil && own.endedByClient == nil)
      // The session's exchange contains the proxy's, which contains the origin's.
      let began = try #require(own.marks[.requestHeadEnd])
      let asked = try #require(seen.marks[.requestFirstByte])
      let answered = try #require(seen.marks[.responseFirstByte])
      let told = try #require(own.marks[.responseFirstByte])
      let ended = try #require(own.marks[.responseLastByte])
      #expect(began <= asked)
      #expect(asked <= answered)
      #expect(answered <= told)
      #expect(told <= ended)
    }
  }

  private static func lines(_ fields: HeaderFields) -> [String] {
    fields.indices.map { "\(fields.name(at: $0)): \(fields.value(at: $0))" }
  }
}
