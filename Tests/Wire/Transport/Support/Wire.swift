import Synchronization
import TapelineHTTP
import TapelineLoop
import TapelineTime

@testable import TapelineTransport

/// A network transport on a loop of its own, for tests that run tasks against a scripted origin.
final class Wire: Sendable {
  private let group: EventLoopGroup
  private let resolver: Resolver
  private let transport: LoopBound<NetworkTransport>
  private let lastIdentifier = Counter()

  init(_ configure: (inout NetworkTransport.Configuration) -> Void = { _ in }) throws {
    var configuration = NetworkTransport.Configuration()
    configure(&configuration)
    let chosen = configuration
    let group = try EventLoopGroup(threads: 1)
    let resolver = try Resolver(threads: 1)
    let loop = group.loops[0]
    self.group = group
    self.resolver = resolver
    transport = loop.executeAndWait {
      LoopBound(NetworkTransport(loop: loop, resolver: resolver, configuration: chosen), on: loop)
    }
  }

  deinit {
    transport.loop.executeAndWait { [transport] in transport.value.shutdown() }
    group.shutdown()
    resolver.shutdown()
  }

  /// Runs a task to its end.
  func run(
    _ request: OutgoingRequest, body: [UInt8] = [], timeouts: TaskTimeouts? = nil, answer: TaskRun.Answer? = nil
  ) throws -> TaskRun.Outcome {
    try begin(request, body: body, timeouts: timeouts, answer: answer).wait()
  }

  func begin(
    _ request: OutgoingRequest, body: [UInt8] = [], isOpenEnded: Bool = false, timeouts: TaskTimeouts? = nil,
    answer: TaskRun.Answer? = nil
  ) throws -> TaskRun {
    begin(.exchange(request), body: body, isOpenEnded: isOpenEnded, timeouts: timeouts, answer: answer)
  }

  /// Begins tasks in one turn of the loop.
  func begin(together requests: [OutgoingRequest]) -> [TaskRun] {
    onLoop { [lastIdentifier] transport in
      let runs = requests.map { request in
        TaskRun(
          .exchange(request), body: [], identifier: lastIdentifier.next(), on: transport)
      }
      for run in runs { run.task.resume() }
      return runs
    }
  }

  /// Opens a raw stream, and waits until it stands.
  func open(_ route: Route, on prepared: PreparedConnection? = nil) throws -> TaskRun {
    let run = start(route, on: prepared)
    try run.waitForEvent("open")
    return run
  }

  func start(_ route: Route, on prepared: PreparedConnection? = nil, via: [String] = []) -> TaskRun {
    begin(.stream(route, on: prepared, via: via), body: [])
  }

  /// Runs `body` on the loop.
  func onLoop<Result: Sendable>(_ body: @escaping @Sendable (NetworkTransport) -> Result) -> Result {
    transport.loop.executeAndWait { [transport] in body(transport.value) }
  }

  private func begin(
    _ work: SessionTask.Work, body: [UInt8], isOpenEnded: Bool = false, timeouts: TaskTimeouts? = nil,
    answer: TaskRun.Answer? = nil
  ) -> TaskRun {
    let identifier = lastIdentifier.next()
    return onLoop { transport in
      let run = TaskRun(work, body: body, timeouts: timeouts, answer: answer, identifier: identifier, on: transport)
      if isOpenEnded { run.keepBodyOpen() }
      run.task.resume()
      return run
    }
  }
}

private final class Counter: Sendable {
  private let last = Atomic<Int>(0)

  func next() -> Int { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
