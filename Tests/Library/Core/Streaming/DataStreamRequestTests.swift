import Dispatch
import FoundationEssentials
import Synchronization
import TapelineHTTP
import TapelineLoop
import TapelineTime
import Testing

@testable import TapelineCore
@testable import TapelineTransport

/// Streams on a scripted transport.
@Suite struct DataStreamRequestTests {
  private let harness: CoreHarness

  init() throws {
    harness = try CoreHarness()
  }

  private struct Broken: Error {}

  @Test("Pieces come in order, followed by one completion with all details")
  func pieces() throws {
    let log = EventLog()
    let ended = Awaited<DataStreamRequest.Completion>()
    harness.session.streamRequest(CoreHarness.url).responseStream(on: harness.callbacks) { stream in
      switch stream.event {
      case .stream(.success(let data)): log.add(String(decoding: data, as: UTF8.self))
      case .complete(let completion):
        log.add("complete")
        ended.take(completion)
      }
    }
    try harness.head(200, ["Content-Length": "5"])
    try harness.body("he")
    try harness.body("llo")
    try harness.complete()
    let completion = try ended.wait()
    #expect(log.all == ["he", "llo", "complete"])
    #expect(completion.request?.url?.absoluteString == CoreHarness.url)
    #expect(completion.response?.statusCode == 200)
    #expect(completion.metrics != nil)
    #expect(completion.error == nil)
    #expect(completion.timeline.totalDuration > 0)
  }

  @Test("A failure is in the completion")
  func failure() throws {
    let ended = Awaited<DataStreamRequest.Completion>()
    harness.session.streamRequest(CoreHarness.url).responseStream { if let end = $0.completion { ended.take(end) } }
    try harness.complete(CoreHarness.refused)
    guard case .sessionTaskFailed = try ended.wait().error else {
      Issue.record("no error")
      return
    }
  }

  @Test("Handlers run on the queue that was given, serializers or not")
  func queues() throws {
    let queue = DispatchQueue(label: "own")
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let seen = Awaited<Bool>()
    let onQueue: @Sendable () -> Void = { seen.take(DispatchQueue.getSpecific(key: key) == true) }
    harness.session.streamRequest(CoreHarness.url)
      .responseStream(on: queue) { _ in onQueue() }
      .responseStreamString(on: queue) { _ in onQueue() }
      .responseStreamDecodable(of: Int.self, on: queue) { _ in onQueue() }
    try harness.head()
    try harness.body("1")
    try harness.complete()
    for _ in 0..<6 { #expect(try seen.wait()) }
  }

  @Test("On a concurrent queue too, handlers run one at a time and in order")
  func concurrentQueue() throws {
    let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
    let seen = Mutex<[String]>([])
    let active = Atomic(0)
    let ended = Awaited<Int>()
    harness.session.streamRequest(CoreHarness.url).responseStreamString(on: queue) { stream in
      let others = active.wrappingAdd(1, ordering: .relaxed).oldValue
      defer { active.wrappingSubtract(1, ordering: .relaxed) }
      if let text = stream.value { seen.withLock { $0.append(text) } }
      if stream.completion != nil { ended.take(others) }
      #expect(others == 0)
    }
    try harness.head()
    for index in 0..<50 { try harness.body("\(index) ") }
    try harness.complete()
    _ = try ended.wait()
    #expect(seen.withLock { $0.joined() } == (0..<50).map { "\($0) " }.joined())
  }

  @Test("Characters come whole wherever the pieces are cut", arguments: 0...13)
  func splitCharacters(split: Int) throws {
    let bytes = Array("aé€😀\u{FEFF}".utf8)
    try #require(bytes.count == 13)
    let log = EventLog()
    let ended = Awaited<Bool>()
    harness.session.streamRequest(CoreHarness.url).responseStreamString(on: harness.callbacks) { stream in
      if let text = stream.value { log.add(text) }
      if stream.completion != nil { ended.take(true) }
    }
    try harness.head()
    let task = try harness.task()
    try harness.onLoop { _ in
      for piece in [bytes[..<split], bytes[split...]] where !piece.isEmpty {
        let piece = Array(piece)
        _ = task.didReceive(piece.span, at: .now)
      }
    }
    try harness.complete()
    _ = try ended.wait()
    #expect(Array(log.all.joined().utf8) == bytes)
    #expect(log.all.count <= 2)
  }

  @Test("A character that is never finished comes as U+FFFD before the completion")
  func cutCharacter() throws {
    let log = EventLog()
    let ended = Awaited<Bool>()
    harness.session.streamRequest(CoreHarness.url).responseStreamString(on: harness.callbacks) { stream in
      if let text = stream.value { log.add(text) }
      if stream.completion != nil { ended.take(true) }
    }
    try harness.head()
    let task = try harness.task()
    try harness.onLoop { _ in
      let bytes: [UInt8] = [0x61, 0xE2, 0x82]
      _ = task.didReceive(bytes.span, at: .now)
    }
    try harness.complete()
    _ = try ended.wait()
    #expect(log.all == ["a", "\u{FFFD}"])
  }

  @Test("Each piece is decoded; an undecodable piece is a separate event, and the stream goes on")
  func decodable() throws {
    let log = EventLog()
    let ended = Awaited<TapelineError?>()
    harness.session.streamRequest(CoreHarness.url).responseStreamDecodable(of: [Int].self, on: harness.callbacks) { stream in
      switch stream.event {
      case .stream(.success(let value)): log.add("\(value)")
      case .stream(.failure): log.add("failed")
      case .complete(let completion): ended.take(completion.error)
      }
    }
    try harness.head()
    for text in ["[1]", "[", "[2]"] { try harness.body(text) }
    try harness.complete()
    #expect(try ended.wait() == nil)
    #expect(log.all == ["[1]", "failed", "[2]"])
  }

  @Test("With automaticallyCancelOnStreamError a piece that cannot be serialized cancels the request")
  func automaticCancellation() throws {
    let ended = Awaited<TapelineError?>()
    harness.session.streamRequest(CoreHarness.url, automaticallyCancelOnStreamError: true)
      .responseStreamDecodable(of: [Int].self) { if let end = $0.completion { ended.take(end.error) } }
    try harness.head()
    try harness.body("[")
    #expect(try ended.wait()?.isExplicitlyCancelledError == true)
    #expect(try harness.onLoop { $0.cancelled.count } == 1)
  }

  @Test("An error from a handler ends the request")
  func throwingHandler() throws {
    let ended = Awaited<TapelineError?>()
    let log = EventLog()
    let held = DispatchSemaphore(value: 0)
    harness.session.streamRequest(CoreHarness.url).responseStreamString { stream in
      if let end = stream.completion { return ended.take(end.error) }
      held.wait()
      log.add(stream.value ?? "")
      throw Broken()
    }
    try harness.head()
    try harness.body("first")
    try harness.body("second")
    held.signal()
    guard case .responseSerializationFailed(reason: .customSerializationFailed(let error)) = try ended.wait() else {
      Issue.record("the request went on")
      return
    }
    #expect(error is Broken)
    #expect(log.all == ["first"])
  }

  @Test("A retry begins the body again, and forgets a character that the first attempt cut")
  func retry() throws {
    let harness = try CoreHarness(interceptor: Retrier { _, _, _, completion in completion(.retry) })
    let log = EventLog()
    let ended = Awaited<TapelineError?>()
    harness.session.streamRequest(CoreHarness.url).responseStreamString(on: harness.callbacks) { stream in
      if let text = stream.value { log.add(text) }
      if let end = stream.completion { ended.take(end.error) }
    }
    try harness.head()
    let task = try harness.task()
    try harness.onLoop { _ in
      let bytes: [UInt8] = [0x61, 0xE2, 0x82]
      _ = task.didReceive(bytes.span, at: .now)
    }
    try harness.complete(CoreHarness.refused)
    try harness.answer(body: "a€", to: 1)
    #expect(try ended.wait() == nil)
    #expect(log.all == ["a", "a€"])
  }

  @Test("A token cancels: no further piece arrives, and the completion reports the cancellation")
  func token() throws {
    let log = EventLog()
    let ended = Awaited<TapelineError?>()
    let held = DispatchSemaphore(value: 0)
    harness.session.streamRequest(CoreHarness.url).responseStreamString(on: harness.callbacks) { stream in
      if let text = stream.value {
        held.wait()
        log.add(text)
        stream.cancel()
      }
      if let end = stream.completion { ended.take(end.error) }
    }
    try harness.head()
    try harness.body("first")
    try harness.body("second")
    held.signal()
    guard case .explicitlyCancelled = try ended.wait() else {
      Issue.record("not cancelled")
      return
    }
    #expect(log.all == ["first"])
  }

  @Test("Reading pauses while too many bytes wait for a handler, and goes on when the handler has caught up")
  func backPressure() throws {
    let held = DispatchSemaphore(value: 0)
    let handled = Awaited<Bool>()
    let request = harness.session.streamRequest(CoreHarness.url)
    request.responseStream(on: harness.callbacks) { stream in
      held.wait()
      handled.take(stream.completion == nil)
    }
    try harness.head()
    let piece = String(repeating: "x", count: 64 * 1024)
    #expect(try harness.body(piece) == .more)
    #expect(try harness.body(piece) == .more)
    #expect(try harness.body(piece) == .more)
    #expect(try harness.body(piece) == .pause)
    #expect(request.streamDelegate.highestBacklog == Backlog.defaultLimit)
    held.signal()
    #expect(try handled.wait())
    // A quarter has been dealt with: not yet half.
    #expect(try harness.onLoop { $0.resumed.isEmpty })
    for _ in 0..<4 { held.signal() }
    for _ in 0..<3 { #expect(try handled.wait()) }
    harness.settle()
    #expect(try harness.onLoop { $0.resumed.count } == 1)
    try harness.complete()
    #expect(try !handled.wait())
  }

  @Test("The slowest of several handlers sets the pace")
  func severalHandlers() throws {
    let held = DispatchSemaphore(value: 0)
    let ended = Awaited<Bool>()
    let request = harness.session.streamRequest(CoreHarness.url)
    request.responseStream(on: DispatchQueue(label: "slow")) { stream in
      held.wait()
      if stream.completion != nil { ended.take(true) }
    }
    request.responseStream(on: DispatchQueue(label: "fast")) { _ in }
    try harness.head()
    #expect(try harness.body(String(repeating: "x", count: Backlog.defaultLimit)) == .pause)
    harness.settle()
    #expect(try harness.onLoop { $0.resumed.isEmpty })
    held.signal()
    held.signal()
    try harness.complete()
    _ = try ended.wait()
  }

  @Test("The head arrives before the body, which waits for the handler's answer")
  func responseHandler() throws {
    let asked = Awaited<@Sendable (DataStreamRequest.ResponseDisposition) -> Void>()
    let ended = Awaited<TapelineError?>()
    harness.session.streamRequest(CoreHarness.url)
      .onHTTPResponse(on: harness.callbacks) { (response: HTTPURLResponse, completion) in
        #expect(response.statusCode == 200)
        asked.take(completion)
      }
      .responseStream { if let end = $0.completion { ended.take(end.error) } }
    #expect(try harness.head() == .later)
    let answer = try asked.wait()
    answer(.allow)
    answer(.cancel)
    harness.settle()
    #expect(try harness.onLoop { $0.cancelled.isEmpty })
    try harness.complete()
    #expect(try ended.wait() == nil)
  }

  @Test("The answer to the head may end the request")
  func refusedHead() throws {
    let ended = Awaited<TapelineError?>()
    harness.session.streamRequest(CoreHarness.url)
      .onHTTPResponse { (_: HTTPURLResponse, completion) in completion(.cancel) }
      .responseStream { if let end = $0.completion { ended.take(end.error) } }
    try harness.head()
    guard case .explicitlyCancelled = try ended.wait() else {
      Issue.record("not cancelled")
      return
    }
  }

  @Test("Validation looks at the head; an empty body has no content type")
  func validation() throws {
    let ended = Awaited<TapelineError?>()
    harness.session.streamRequest(CoreHarness.url).validate().responseStream {
      if let end = $0.completion { ended.take(end.error) }
    }
    try harness.head(404)
    try harness.complete()
    guard case .responseValidationFailed(reason: .unacceptableStatusCode(404)) = try ended.wait() else {
      Issue.record("a 404 was accepted")
      return
    }
    harness.session.streamRequest(CoreHarness.url).validate(contentType: ["text/plain"])
      .responseStream { if let end = $0.completion { ended.take(end.error) } }
    try harness.head(200, ["Content-Type": "text/html"], of: 1)
    try harness.complete(of: 1)
    #expect(try ended.wait() == nil)
  }

  @Test("A handler attached after the end gets the completion")
  func lateHandler() throws {
    let ended = Awaited<Bool>()
    let request = harness.session.streamRequest(CoreHarness.url)
    request.responseStream { if $0.completion != nil { ended.take(true) } }
    try harness.answer(body: "x")
    _ = try ended.wait()
    request.responseStream { stream in ended.take(stream.completion != nil) }
    #expect(try ended.wait())
  }

  @Test("Progress counts received bytes")
  func progress() throws {
    let seen = Awaited<Progress>()
    harness.session.streamRequest(CoreHarness.url).downloadProgress(queue: harness.callbacks) { seen.take($0) }.resume()
    try harness.head(200, ["Content-Length": "10"])
    try harness.body("123")
    #expect(try seen.wait() == Progress(totalUnitCount: 10, completedUnitCount: 3))
    try harness.complete()
  }
}
