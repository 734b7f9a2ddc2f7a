import Dispatch
import TapelineCore
import TapelineHTTP
import TapelineLoop
import TapelineTime
import TapelineTransport

/// The cost of the request/response system alone: its transport has no wire.
enum CoreBenchmarks {
  static func all() throws -> [Benchmark] {
    [try exchange(), try request()]
  }

  /// One exchange as the proxy makes it: head, body and end arrive on the loop, for an owner of the proxy's kind.
  private static func exchange() throws -> Benchmark {
    let loop = try EventLoop()
    let transport = SilentTransport()
    let session = Session(loop: loop, transport: transport)
    let request = OutgoingRequest(
      head: try SampleMessages.requestHead(), framing: .none, route: Route(host: "origin.example", port: 8080))
    let response = try SampleMessages.responseHead()
    return Benchmark(name: "core.exchange", countsAllocations: true) { repetitions in
      let body = SampleMessages.body
      var bytes = 0
      for _ in 0..<repetitions {
        let owner = CountingOwner()
        try session.forward(request, for: owner).resume()
        guard let task = transport.started.take() else { preconditionFailure("a request that is resumed starts its task") }
        _ = task.didReceive(response)
        _ = task.didReceive(body.span, at: .now)
        task.complete(with: nil)
        bytes += owner.byteCount
      }
      return bytes
    }
  }

  /// One request of a library user, from the call to the handler: three contexts, each with its own thread.
  private static func request() throws -> Benchmark {
    let group = try EventLoopGroup(threads: 1)
    let loop = group.loops[0]
    let response = try SampleMessages.responseHead()
    let session = loop.executeAndWait {
      Session(loop: loop, transport: AnsweringTransport(response: response, body: SampleMessages.body), configuration: .default)
    }
    return Benchmark(name: "core.request") { repetitions in
      let total = Protected(0)
      let done = DispatchSemaphore(value: 0)
      for _ in 0..<repetitions {
        session.request("http://origin.example:8080/assets/stories/2026/summary.txt").response { response in
          total.write { $0 += response.data?.count ?? 0 }
          done.signal()
        }
        done.wait()
      }
      withExtendedLifetime(group) {}
      return total.wrappedValue
    }
  }
}

/// Stores the task that was started, and does nothing. Loop-bound.
private final class SilentTransport: Transport {
  var started: SessionTask?

  func start(_ task: SessionTask) { started = task }
}

/// Answers every task in the next round of its loop. Loop-bound.
private final class AnsweringTransport: Transport {
  private let response: ResponseHead
  private let body: [UInt8]

  init(response: ResponseHead, body: [UInt8]) {
    self.response = response
    self.body = body
  }

  func start(_ task: SessionTask) {
    task.loop.enqueueLocal { [response, body] in
      _ = task.didReceive(response)
      _ = task.didReceive(body.span, at: .now)
      task.complete(with: nil)
    }
  }
}

/// Counts the bytes of one response. Loop-bound.
private final class CountingOwner: TaskOwner {
  private(set) var byteCount = 0

  func task(_ task: SessionTask, didReceive head: ResponseHead) -> ResponseDisposition { .proceed }

  func task(_ task: SessionTask, didReceive bytes: Span<UInt8>, at instant: MonotonicInstant) -> Demand {
    byteCount += bytes.count
    return .more
  }

  func task(_ task: SessionTask, didCompleteWith error: TransportError?) {}
}
