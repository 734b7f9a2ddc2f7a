import Dispatch
import TapelineCore
import TapelineLoop
import TapelineSystem
import TapelineTLS
import TapelineTestSupport
import TapelineTime
import Testing

@testable import TapelineProxy

/// A proxy whose only loop can be held up: it stays in the recording of an exchange until it is let go.
final class BusyProxy: Sendable {
  typealias Pause = (began: MonotonicInstant, came: MonotonicInstant, ended: MonotonicInstant)

  let harness: ProxyHarness
  private let isBusy = DispatchSemaphore(value: 0)
  private let release = DispatchSemaphore(value: 0)

  init(_ configure: (inout ProxyConfiguration) throws -> Void = { _ in }) throws {
    harness = try ProxyHarness(
      configure,
      recording: { [isBusy, release] record in
        guard record.request == nil else { return }
        isBusy.signal()
        release.wait()
      })
  }

  /// One that intercepts, and speaks HTTP/2.
  static func intercepting() throws -> BusyProxy {
    let authorities = try Authorities.shared.get()
    let interception = try authorities.interception(protocols: [.http2, .http11])
    let upstream = try authorities.upstream(protocols: [.http2, .http11])
    return try BusyProxy { configuration in
      configuration.speaksHTTP2 = true
      configuration.upstreamTLS = upstream
      configuration.interception = interception
    }
  }

  func connect() throws -> RawClient { try harness.connect() }

  /// The record of the exchange with a request.
  func record() throws -> ExchangeRecord {
    try #require(try harness.records(2).first { $0.request != nil })
  }

  /// Runs `body`, during which bytes come, and twenty milliseconds more while the loop does nothing else. Returns when the
  /// bytes had come and when the loop went on.
  func whileBusy(_ body: () throws -> Void) throws -> Pause {
    // No request, but an exchange to record.
    let other = try harness.connect()
    try other.send("nonsense\r\n\r\n")
    #expect(isBusy.wait(timeout: .now() + 120) == .success)
    let began = MonotonicInstant.now
    defer { release.signal() }
    try body()
    let came = MonotonicInstant.now
    SystemThread.sleep(untilMonotonicNanoseconds: came.nanoseconds + 20_000_000)
    return (began, came, .now)
  }

  /// The mark lies where the bytes came, although the loop could only read them later.
  func expect(
    _ mark: TimelineMark, of record: ExchangeRecord, within pause: Pause, _ location: SourceLocation = #_sourceLocation
  ) throws {
    let instant = try #require(record.marks[mark], sourceLocation: location)
    #expect(instant.clock == .wire, sourceLocation: location)
    #expect(instant >= pause.began && instant <= pause.came, sourceLocation: location)
  }

  /// The wait is told.
  func expectQueue(of record: ExchangeRecord, _ location: SourceLocation = #_sourceLocation) throws {
    #expect(try #require(record.marks.queue) >= 20_000_000, sourceLocation: location)
  }
}
