import Dispatch
import TapelineHTTP
import TapelineLoop
import Testing

@testable import TapelineCore
@testable import TapelineTransport

/// The asynchronous sequence of a stream's pieces, on a scripted transport.
@Suite struct ByteChunksTests {
  private let harness: CoreHarness

  init() throws {
    harness = try CoreHarness()
  }

  @Test("Pieces arrive in order, whether received before or during the wait")
  func all() async throws {
    let chunks = harness.session.streamRequest(CoreHarness.url).bytes()
    try harness.head()
    try harness.body("he")
    async let collected: [UInt8] = chunks.reduce(into: []) { $0 += $1 }
    try harness.body("llo")
    try harness.complete()
    #expect(try await collected == Array("hello".utf8))
  }

  @Test("A failure is thrown after the pieces before it")
  func failure() async throws {
    let chunks = harness.session.streamRequest(CoreHarness.url).bytes()
    try harness.head()
    try harness.body("he")
    try harness.complete(CoreHarness.refused)
    var iterator = chunks.makeAsyncIterator()
    #expect(try await iterator.next() == Array("he".utf8))
    await #expect(throws: TapelineError.self) { _ = try await iterator.next() }
  }

  @Test("Reading pauses without a consumer, and continues when pieces are taken")
  func backPressure() async throws {
    let request = harness.session.streamRequest(CoreHarness.url)
    let chunks = request.bytes()
    try harness.head()
    let piece = String(repeating: "x", count: Backlog.defaultLimit)
    #expect(try harness.body(piece) == .pause)
    #expect(try harness.onLoop { $0.resumed.isEmpty })
    var iterator = chunks.makeAsyncIterator()
    #expect(try await iterator.next()?.count == Backlog.defaultLimit)
    harness.settle()
    #expect(try harness.onLoop { $0.resumed.count } == 1)
    try harness.complete()
    #expect(try await iterator.next() == nil)
    #expect(try await iterator.next() == nil)
  }

  @Test("A consumer that stops early cancels the request")
  func earlyEnd() async throws {
    let request = harness.session.streamRequest(CoreHarness.url)
    do {
      let chunks = request.bytes()
      try harness.head()
      try harness.body("x")
      for try await _ in chunks { break }
    }
    #expect(request.isCancelled)
  }

  @Test("A sequence that nobody iterates cancels the request with its end")
  func neverIterated() throws {
    let request = harness.session.streamRequest(CoreHarness.url)
    _ = request.bytes()
    #expect(request.isCancelled)
  }

  @Test("Cancelling the task that awaits cancels the request")
  func taskCancellation() async throws {
    let request = harness.session.streamRequest(CoreHarness.url)
    let chunks = request.bytes()
    try harness.head()
    let consumer = Task { () -> Bool in
      do {
        for try await _ in chunks {}
        return false
      } catch {
        guard case .explicitlyCancelled = error as? TapelineError else { return false }
        return true
      }
    }
    consumer.cancel()
    #expect(await consumer.value)
    #expect(request.isCancelled)
  }
}
