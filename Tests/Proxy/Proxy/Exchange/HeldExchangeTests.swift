import TapelineCore
import TapelineHTTP
import TapelineLoop
import TapelineTime
import TapelineTransport
import Testing

@testable import TapelineProxy

@Suite("Exchanges wait for a recorder that lags behind and is to lose none")
struct HeldExchangeTests {
  private final class LaggingRecorder: LoopRecorder {
    let records = RecordList()
    var lagsBehind = true
    private var waiters: [@Sendable () -> Void] = []

    func record(_ draft: RecordDraft) { records.add(draft.record) }
    func handOn() {}
    func awaitRoom(_ proceed: @escaping @Sendable () -> Void) { waiters.append(proceed) }

    var waiterCount: Int { waiters.count }

    func catchUp() {
      lagsBehind = false
      for proceed in waiters { proceed() }
      waiters = []
    }
  }

  private let recorder = LaggingRecorder()
  private let scripted: ScriptedShard
  private let client: Client

  init() throws {
    scripted = try ScriptedShard(recorder: recorder)
    let peer = try #require(SocketAddress(literal: "127.0.0.1", port: 9))
    client = Client(shard: scripted.shard, peer: peer, acceptedAt: .now)
  }

  private func begin(_ path: String, framing: BodyFraming = .none) throws -> ForwardedExchange {
    let head = try RequestHead(method: framing == .none ? .get : .put, target: "http://origin.example/\(path)")
    let draft = client.record(of: head, began: nil, at: .now)
    let request = OutgoingRequest(
      head: head, framing: framing, route: Route(host: "origin.example", port: 80), allowsUpgrade: true)
    let exchange = ForwardedExchange(client: ScriptedClient(), shard: scripted.shard, draft: draft, request: request)
    exchange.begin()
    return exchange
  }

  /// One turn.
  private func turn() {
    scripted.shard.loop.stop()
    scripted.shard.loop.run()
  }

  private var begun: [String] { scripted.origin.tasks.map { $0.requestHead?.withTarget { text($0) } ?? "" } }

  @Test("They begin in order of arrival when it has caught up, and each record says how long that took")
  func order() throws {
    let exchanges = try ["1", "2", "3"].map { try begin($0) }
    #expect(begun.isEmpty && recorder.waiterCount == 1)
    for exchange in exchanges { exchange.endRequest(at: .now) }
    recorder.catchUp()
    #expect(begun.isEmpty, "that may be said on any thread")
    turn()
    #expect(begun == (1...3).map { "http://origin.example/\($0)" })
    for task in scripted.origin.tasks {
      task.responseFraming = BodyFraming.none
      _ = task.didReceive(ResponseHead(status: 204))
      task.complete(with: nil)
    }
    #expect(recorder.records.all.map { $0.recorderWait?.isOver } == [true, true, true])
    let exchange = try begin("4")
    exchange.endRequest(at: .now)
    #expect(begun.count == 4, "no other waits")
  }

  @Test("One that is behind others waits with them, even if there is room again")
  func noOvertaking() throws {
    let first = try begin("1")
    recorder.lagsBehind = false
    let second = try begin("2")
    #expect(begun.isEmpty)
    recorder.catchUp()
    turn()
    #expect(begun == (1...2).map { "http://origin.example/\($0)" })
    withExtendedLifetime((first, second)) {}
  }

  @Test("A client that leaves meanwhile has been held back until then, and its request is not sent")
  func departure() throws {
    let exchange = try begin("1")
    exchange.endRequest(at: .now)
    exchange.clientDidLeave(.left, lacksContent: false)
    let record = try #require(recorder.records.all.first)
    #expect(record.recorderWait?.isOver == true)
    #expect(record.endedByClient != nil && record.attempts == 0)
    recorder.catchUp()
    turn()
    #expect(begun.isEmpty)
    #expect(recorder.records.all.count == 1)
  }

  @Test("The content of a request that waits is kept, and the client is not read beyond that")
  func content() throws {
    let exchange = try begin("1", framing: .length(4))
    exchange.receiveBody(Array("text".utf8).span, at: .now)
    exchange.endRequest(at: .now)
    recorder.catchUp()
    turn()
    let task = try #require(scripted.origin.tasks.first)
    guard case .bytes(let bytes) = task.nextBodyChunk(limit: 100) else {
      Issue.record("there is a body")
      return
    }
    #expect(text(bytes.span) == "text")
    exchange.clientDidLeave(.left, lacksContent: false)
  }
}
