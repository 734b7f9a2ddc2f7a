import Dispatch
import FoundationEssentials
import Testing

@testable import TapelineCore
@testable import TapelineTransport

@Suite struct RequestHandlersTests {
  @Test(
    "Download progress counts bytes of the expected length, comes in order on its queue, and before the handlers")
  func downloadProgress() throws {
    let harness = try CoreHarness()
    let log = EventLog()
    let done = Awaited<Void>()
    let request = harness.session.request(CoreHarness.url)
    request.downloadProgress(queue: harness.callbacks) { log.add("\($0.completedUnitCount)/\($0.totalUnitCount)") }
    request.outcome(on: harness.callbacks) { _ in
      log.add("handler")
      done.take(())
    }
    try harness.head(200, ["Content-Length": "10"])
    try harness.body("01234")
    try harness.body("56789")
    try harness.complete()
    try done.wait()
    #expect(log.all == ["5/10", "10/10", "handler"])
    #expect(request.downloadProgress.fractionCompleted == 1)
  }

  @Test("Without a length, the total is unknown")
  func progressWithoutALength() throws {
    let harness = try CoreHarness()
    let seen = Awaited<Progress>()
    let request = harness.session.request(CoreHarness.url).downloadProgress { seen.take($0) }
    request.resume()
    try harness.head()
    try harness.body("xyz")
    let progress = try seen.wait()
    #expect(progress.totalUnitCount == -1)
    #expect(progress.completedUnitCount == 3)
    #expect(progress.fractionCompleted == 0)
    try harness.complete()
  }

  @Test("Upload progress counts bytes handed to the connection")
  func uploadProgress() throws {
    let harness = try CoreHarness()
    var urlRequest = try URLRequest(url: CoreHarness.url, method: .post)
    urlRequest.httpBody = Data("0123456789".utf8)
    let seen = Awaited<Progress>()
    let request = harness.session.request(urlRequest).uploadProgress { seen.take($0) }
    request.resume()
    let task = try harness.task()
    try harness.onLoop { $0.pullBody(of: task, limit: 6) }
    #expect(try seen.wait() == Progress(totalUnitCount: 10, completedUnitCount: 6))
    #expect(try seen.wait() == Progress(totalUnitCount: 10, completedUnitCount: 10))
    try harness.answer()
  }

  @Test("Handlers of the URLRequest, task and cURL text are called, and late handlers at once")
  func creationHandlers() throws {
    let harness = try CoreHarness()
    let requests = Awaited<URLRequest>()
    let tasks = Awaited<SessionTask>()
    let curls = Awaited<String>()
    let request = harness.session.request(CoreHarness.url)
    request.onURLRequestCreation { requests.take($0) }
    request.onURLSessionTaskCreation { tasks.take($0) }
    request.cURLDescription { curls.take($0) }
    harness.settle()
    #expect(requests.count == 0 && tasks.count == 0 && curls.count == 0)
    request.resume()
    #expect(try requests.wait().description == CoreHarness.url)
    #expect(try tasks.wait() === request.task)
    let curl = try curls.wait()
    #expect(curl.hasPrefix("$ curl -v"))
    #expect(request.debugDescription == curl)
    request.onURLRequestCreation { requests.take($0) }
    request.onURLSessionTaskCreation { tasks.take($0) }
    request.cURLDescription { curls.take($0) }
    _ = try requests.wait()
    _ = try tasks.wait()
    #expect(try curls.wait() == curl)
    try harness.answer()
  }

  @Test("A request that cannot be made has no cURL command, and says so")
  func noCURL() throws {
    let harness = try CoreHarness()
    let curls = Awaited<String>()
    harness.session.request("http://").cURLDescription { curls.take($0) }.resume()
    #expect(try curls.wait() == "$ curl command could not be created")
  }

  @Test(
    "A request describes itself by method, URL and status; identifiers are counted, UUIDs are made of them on demand"
  )
  func descriptions() throws {
    let harness = try CoreHarness()
    let first = harness.session.request(CoreHarness.url, method: .head)
    let second = harness.session.request(CoreHarness.url)
    #expect(first.description == "No request created yet.")
    #expect(second.id > first.id)
    #expect(first.uuid == first.uuid)
    #expect(first.uuid != second.uuid)
    #expect(first != second)
    let awaited = first.awaitedOutcome()
    _ = try harness.task()
    #expect(first.description == "HEAD http://origin.example/")
    try harness.answer(404)
    _ = try awaited.wait()
    #expect(first.description == "HEAD http://origin.example/ (404)")
  }

  @Test("Each progress and setup handler is called on its named queue")
  func handlersOnTheirQueues() throws {
    let harness = try CoreHarness()
    let key = DispatchSpecificKey<String>()
    func queue(_ name: String) -> DispatchQueue {
      let queue = DispatchQueue(label: name)
      queue.setSpecific(key: key, value: name)
      return queue
    }
    let seen = Awaited<[String?]>()
    harness.session.request(CoreHarness.url)
      .onURLRequestCreation(on: queue("request")) { _ in seen.take(["request", DispatchQueue.getSpecific(key: key)]) }
      .onURLSessionTaskCreation(on: queue("task")) { _ in seen.take(["task", DispatchQueue.getSpecific(key: key)]) }
      .cURLDescription(on: queue("curl")) { _ in seen.take(["curl", DispatchQueue.getSpecific(key: key)]) }
      .downloadProgress(queue: queue("progress")) { _ in seen.take(["progress", DispatchQueue.getSpecific(key: key)]) }
      .resume()
    try harness.answer(body: "x")
    let pairs = try (0..<4).map { _ in try seen.wait() }
    #expect(Set(pairs.compactMap(\.first)) == ["request", "task", "curl", "progress"])
    for pair in pairs { #expect(pair[0] == pair[1]) }
  }
}
