import Testing

@testable import TapelineCore

@Suite struct RequestStateTests {
  /// The closed table of the specification, row = from, column = to.
  private let table: [(Request.State, [Request.State])] = [
    (.initialized, [.initialized, .resumed, .suspended, .cancelled, .finished]),
    (.resumed, [.suspended, .cancelled, .finished]),
    (.suspended, [.resumed, .cancelled, .finished]),
    (.cancelled, []),
    (.finished, []),
  ]

  @Test("Every pair of states follows the closed table")
  func everyPairIsAsTheTableSays() {
    #expect(table.map(\.0) == Request.State.allCases)
    for (from, allowed) in table {
      for next in Request.State.allCases {
        #expect(from.canTransition(to: next) == allowed.contains(next), "\(from) to \(next)")
      }
    }
  }

  @Test("The state is read at once by any thread, by its name or in a closure")
  func theStateIsRead() throws {
    let harness = try CoreHarness()
    let request = harness.session.request(CoreHarness.url)
    #expect(request.isInitialized && !request.isResumed && !request.isSuspended && !request.isCancelled && !request.isFinished)
    #expect(request.withState { $0 == .initialized })
    request.suspend()
    #expect(request.isSuspended)
    request.resume()
    #expect(request.isResumed)
    request.cancel()
    #expect(request.isCancelled)
    harness.settle()
    #expect(!request.isFinished)
  }

  @Test("Calls by many threads that cancel, suspend and resume get one order, and handlers are called once")
  func commandsOfManyThreads() async throws {
    let harness = try CoreHarness()
    for _ in 0..<20 {
      let request = harness.session.request(CoreHarness.url)
      let awaited = request.awaitedOutcome()
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<12 {
          group.addTask {
            switch number % 3 {
            case 0: request.suspend()
            case 1: request.resume()
            default: if number == 11 { request.cancel() }
            }
          }
        }
      }
      #expect(try awaited.wait().error?.isExplicitlyCancelledError == true)
      harness.settle()
      #expect(awaited.count == 0)
      #expect(request.isCancelled)
    }
    #expect(harness.session.activeRequestCount == 0)
  }
}
