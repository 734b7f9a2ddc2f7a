import Synchronization
import TapelineCore
import TapelineLoop
import TapelineTLS
import TapelineTransport

@testable import TapelineProxy

/// An origin that does what the test says, by the tasks that it is given.
final class TaskOrigin: ProxyTransport {
  private let network: NetworkTransport
  var tasks: [SessionTask] = []
  var events: [String] = []

  init(_ network: NetworkTransport) {
    self.network = network
  }

  var keepsConnections: Bool { false }
  var plaintextBuffer: PlaintextBuffer { network.plaintextBuffer }
  func shutdown() {}

  func start(_ task: SessionTask) {
    tasks.append(task)
    task.carrier = NotingCarrier(self)
  }
}

/// Notes what it is asked.
private final class NotingCarrier: TaskCarrier {
  private unowned let origin: TaskOrigin

  let reached = TransportError.Phase.connect

  init(_ origin: TaskOrigin) {
    self.origin = origin
  }

  func pumpBody() { origin.events.append("more body") }
  func resumeReceiving() { origin.events.append("resume") }

  func send(_ bytes: Span<UInt8>) -> Demand {
    origin.events.append("send \(text(bytes))")
    return .pause
  }

  func finishSending() { origin.events.append("finish") }
}

final class RecordList: Sendable {
  private let records = Mutex<[ExchangeRecord]>([])

  var all: [ExchangeRecord] { records.withLock { $0 } }

  func add(_ record: consuming ExchangeRecord) {
    let record = record
    records.withLock { $0.append(record) }
  }
}

/// Has nothing wait.
final class ImmediateRecorder: LoopRecorder {
  private let take: (ExchangeRecord) -> Void

  init(_ take: @escaping (ExchangeRecord) -> Void) {
    self.take = take
  }

  func record(_ draft: RecordDraft) { take(draft.record) }

  func handOn() {}
}

/// A loop's share of a proxy that listens nowhere, on a loop of the test's own, with a scripted origin.
struct ScriptedShard {
  let shard: LoopShard
  let origin: TaskOrigin
  let records = RecordList()
  private let resolver: Resolver

  init(recorder: (any LoopRecorder)? = nil, _ configure: (inout ProxyConfiguration) throws -> Void = { _ in }) throws {
    let loop = try EventLoop()
    resolver = try Resolver(threads: 1)
    var configuration = ProxyConfiguration(listen: [])
    try configure(&configuration)
    configuration.transport = { TaskOrigin($0) }
    let counters = ActivityCounters()
    shard = LoopShard(
      loop: loop, resolver: resolver, lineages: SessionLineages(), configuration: configuration, addresses: [],
      activity: counters, metrics: MetricsSource(loops: [loop], counters: [counters], more: nil),
      recorder: recorder ?? ImmediateRecorder { [records] in records.add($0) })
    guard let origin = shard.transport as? TaskOrigin else { preconditionFailure("the configuration's transport is used") }
    self.origin = origin
  }
}

func text(_ bytes: Span<UInt8>) -> String {
  String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
}
