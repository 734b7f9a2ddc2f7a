import FoundationEssentials
import Synchronization
import TapelineHTTP
import TapelineTransport
import Testing

@testable import TapelineCore

@Suite struct DataTaskTests {
  private let harness: CoreHarness

  init() throws {
    harness = try CoreHarness()
  }

  private struct Point: Codable, Sendable, Equatable {
    let x: Int
  }

  @Test("A request's value can be awaited")
  func value() async throws {
    let task = harness.session.request(CoreHarness.url).serializingDecodable(Point.self)
    try harness.answer(body: #"{"x":3}"#)
    #expect(try await task.value == Point(x: 3))
    #expect(await task.response.response?.statusCode == 200)
    #expect(try await task.result.get() == Point(x: 3), "any number of times")
  }

  @Test("Text, data and JSON can be awaited")
  func serializers() async throws {
    let request = harness.session.request(CoreHarness.url)
    let text = request.serializingString()
    let data = request.serializingData()
    let json = request.serializingJSONValue()
    try harness.answer(body: "[1]")
    #expect(try await text.value == "[1]")
    #expect(try await data.value == Data("[1]".utf8))
    #expect(try await json.value == .array([.integer(1)]))
  }

  @Test("A failure is thrown unchanged")
  func failure() async throws {
    let task = harness.session.request(CoreHarness.url).serializingString()
    try harness.complete(CoreHarness.refused)
    await #expect(throws: TapelineError.self) { try await task.value }
    #expect(await task.response.error?.isSessionTaskError == true)
  }

  @Test("Cancelling an awaiting task cancels the request and ends the wait")
  func cancellation() async throws {
    let request = harness.session.request(CoreHarness.url)
    let task = request.serializingString()
    _ = try harness.task()
    let waiting = Task { await task.response }
    waiting.cancel()
    #expect(await waiting.value.error?.isExplicitlyCancelledError == true)
    #expect(request.isCancelled)
  }

  @Test("Without automatic cancelling, a cancelled awaiting task leaves the request alone")
  func declined() async throws {
    let request = harness.session.request(CoreHarness.url)
    let task = request.serializingString(automaticallyCancelling: false)
    _ = try harness.task()
    let waiting = Task { await task.response }
    waiting.cancel()
    #expect(!request.isCancelled)
    try harness.answer(body: "all the same")
    #expect(await waiting.value.value == "all the same")
  }

  @Test("Two tasks that await one request both get its value, and so do its handlers")
  func many() async throws {
    let request = harness.session.request(CoreHarness.url)
    let task = request.serializingString()
    let handled = Awaited<String?>()
    request.responseString { handled.take($0.value) }
    async let one = task.value
    async let other = task.value
    try harness.answer(body: "x")
    #expect(try await one == "x")
    #expect(try await other == "x")
    #expect(try handled.wait() == "x")
  }

  @Test("A handler attached after the end is still called")
  func late() async throws {
    let request = harness.session.request(CoreHarness.url)
    let first = request.serializingString()
    try harness.answer(body: "x")
    _ = await first.response
    #expect(try await request.serializingString().value == "x")
  }

  @Test("Commands of an awaited task go to its request")
  func commands() async throws {
    let request = harness.session.request(CoreHarness.url)
    let task = request.serializingString()
    _ = try harness.task()
    task.suspend()
    #expect(request.isSuspended)
    task.resume()
    #expect(request.isResumed)
    task.cancel()
    #expect(await task.response.error?.isExplicitlyCancelledError == true)
  }
}

@Suite struct RequestSequenceTests {
  private let harness: CoreHarness

  init() throws {
    harness = try CoreHarness()
  }

  @Test("The sequence of progress ends with the request")
  func progress() async throws {
    let request = harness.session.request(CoreHarness.url)
    let progress = request.downloadProgress(bufferingPolicy: .unbounded)
    request.responseString { _ in }
    try harness.head(200, HeaderFields([("Content-Length", "4")]))
    try harness.body("ab")
    try harness.body("cd")
    try harness.complete()
    var seen: [Int64] = []
    for await step in progress { seen.append(step.completedUnitCount) }
    #expect(seen == [2, 4])
  }

  @Test("The request and curl command of each attempt can be awaited")
  func requests() async throws {
    let request = harness.session.request(CoreHarness.url)
    let requests = request.urlRequests()
    let commands = request.cURLDescriptions()
    request.responseString { _ in }
    try harness.answer(body: "x")
    var urls: [String] = []
    for await made in requests { urls.append("\(made)") }
    #expect(urls == [CoreHarness.url])
    var texts: [String] = []
    for await text in commands { texts.append(text) }
    #expect(texts.count == 1)
    #expect(texts.first?.hasPrefix("$ curl -v") == true)
  }
}
