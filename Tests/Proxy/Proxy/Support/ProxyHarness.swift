import Dispatch
import Synchronization
import TapelineCore
import TapelineHTTP
import TapelineLoop
import TapelineSystem
import TapelineTestSupport
import TapelineTime

@testable import TapelineProxy

/// A proxy in this process, and the records it made.
final class ProxyHarness: Sendable {
  struct Overdue: Error {}

  let server: ProxyServer
  private let log: RecordLog

  /// - Parameter recording: is called on the loop with each record, before the record is there.
  init(
    _ configure: (inout ProxyConfiguration) throws -> Void = { _ in },
    recording: @escaping @Sendable (borrowing ExchangeRecord) -> Void = { _ in }
  ) throws {
    ProcessSignal.ignoreBrokenPipes()
    guard let address = SocketAddress(literal: "127.0.0.1", port: 0) else { throw Overdue() }
    var configuration = ProxyConfiguration(listen: [address])
    configuration.recordsOwnPages = true
    try configure(&configuration)
    let log = RecordLog()
    self.log = log
    server = try ProxyServer(configuration: configuration) {
      ImmediateRecorder { record in
        recording(record)
        log.add(record)
      }
    }
    try server.start()
  }

  deinit {
    server.shutdown(gracePeriod: .zero)
  }

  var port: UInt16 { server.addresses.first?.port ?? 0 }

  func connect() throws -> RawClient {
    try RawClient(port: port)
  }

  /// The first `count` records, once they are there.
  func records(_ count: Int) throws -> [ExchangeRecord] {
    try log.wait(for: count)
  }

  /// How many there are now.
  var recordCount: Int { log.count }

  /// Waits until the activity is such. An exchange is recorded a moment before it is no longer in flight.
  func waitForActivity(_ condition: (ProxyActivity) -> Bool) throws {
    let deadline = MonotonicInstant.now.advanced(byNanoseconds: 120_000_000_000)
    while !condition(server.activity) {
      guard MonotonicInstant.now < deadline else { throw ProxyHarness.Overdue() }
    }
  }
}

private final class RecordLog: Sendable {
  private let records = Mutex<[ExchangeRecord]>([])
  private let added = DispatchSemaphore(value: 0)

  var count: Int { records.withLock { $0.count } }

  func add(_ record: consuming ExchangeRecord) {
    let record = record
    records.withLock { $0.append(record) }
    added.signal()
  }

  func wait(for count: Int) throws -> [ExchangeRecord] {
    while self.count < count {
      guard added.wait(timeout: .now() + 120) == .success else { throw ProxyHarness.Overdue() }
    }
    return records.withLock { $0 }
  }
}
