import TapelineHTTP
import TapelineLoop
import TapelineTime
import Testing

@testable import TapelineTransport

/// Who may connect, and in which order those go on that may not yet. Without sockets: on a loop of the test's own.
@Suite struct ConnectionPlacesTests {
  private final class Wire: Transport {
    func start(_ task: SessionTask) { task.beginAttempt(at: .now) }
  }

  private final class Listener: SessionTaskEvents {
    func taskDidOpenStream(_ task: SessionTask) {}
    func task(_ task: SessionTask, didReceiveInformational head: ResponseHead) {}
    func task(_ task: SessionTask, didReceive head: ResponseHead) -> ResponseDisposition { .proceed }
    func task(_ task: SessionTask, didReceive bytes: Span<UInt8>, at instant: MonotonicInstant) -> Demand { .more }
    func task(_ task: SessionTask, didReceiveTrailers trailers: HeaderFields) {}
    func taskDidReceiveEnd(_ task: SessionTask) {}
    func taskDidUpgrade(_ task: SessionTask) {}
    func taskNeedsBody(_ task: SessionTask, limit: Int) -> BodyChunk { .end }
    func taskTrailers(_ task: SessionTask) -> HeaderFields? { nil }
    func task(_ task: SessionTask, didSendBody count: Int) {}
    func taskCanSendMore(_ task: SessionTask) {}
    func taskDidGatherMetrics(_ task: SessionTask) {}
    func task(_ task: SessionTask, didCompleteWith error: TransportError?) {}
  }

  private final class Log {
    var wentOn: [Int] = []
  }

  private let loop: EventLoop
  private let pool: ConnectionPool
  private let route = Route(host: "origin.example", port: 80)
  private let wire = Wire()
  private let log = Log()

  init() throws {
    loop = try EventLoop()
    pool = ConnectionPool(loop: loop, limits: IdleConnections.Limits())
  }

  private func places(perRoute: Int = 8, total: Int = 8, patience: Duration? = nil) -> ConnectionPlaces {
    ConnectionPlaces(
      loop: loop, limits: ConnectionPlaces.Limits(perRoute: perRoute, total: total, patience: patience), pool: pool
    ) { [log] task in log.wentOn.append(task.taskIdentifier) }
  }

  private func task(_ number: Int) throws -> SessionTask {
    let request = OutgoingRequest(
      head: try RequestHead(method: .get, target: "http://origin.example/"), framing: .none, route: route)
    let task = SessionTask(
      taskIdentifier: number, work: .exchange(request), loop: loop, transport: wire, events: Listener())
    task.resume()
    return task
  }

  /// Runs the loop until the condition holds.
  private func run(until holds: @escaping () -> Bool) {
    var timer: Timer?
    timer = Timer(loop: loop) { [loop] in
      if holds() { loop.stop() } else { timer?.start(after: .milliseconds(1)) }
    }
    timer?.start(after: .zero)
    loop.run()
    timer = nil
  }

  @Test func whoFindsNoDescriptorTriesAgainInOrderAndOthersWaitBehind() throws {
    let places = places()
    let tasks = try (0..<3).map { try task($0) }
    #expect(places.admits(tasks[0], to: route) && places.admits(tasks[1], to: route))
    // Neither had a descriptor; the younger one is told first.
    for task in [tasks[1], tasks[0]] {
      places.release(route)
      #expect(places.awaitsDescriptor(task))
    }
    #expect(!places.admits(tasks[2], to: route))
    run { [log] in log.wentOn.count == 3 }
    #expect(log.wentOn == [0, 1, 2])
  }

  @Test func whoHasWaitedTooLongWhileNothingIsOursIsGivenUp() throws {
    let places = places(patience: .zero)
    let (first, second) = (try task(0), try task(1))
    #expect(places.admits(first, to: route) && places.admits(second, to: route))
    places.release(route)
    // The other one's connection may end yet.
    #expect(places.awaitsDescriptor(first))
    places.release(route)
    #expect(!places.awaitsDescriptor(second))
  }

  @Test func aTotalIsKeptAndThoseThatEndedOrAreSuspendedLetOthersPass() throws {
    let places = places(total: 1)
    let tasks = try (0..<4).map { try task($0) }
    #expect(places.admits(tasks[0], to: route))
    for task in tasks[1...] { #expect(!places.admits(task, to: route)) }
    tasks[1].cancel()
    tasks[2].suspend()
    places.release(route)
    run { [log] in !log.wentOn.isEmpty }
    #expect(log.wentOn == [3])
  }
}
