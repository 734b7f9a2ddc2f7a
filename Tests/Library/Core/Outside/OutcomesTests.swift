import Dispatch
import FoundationEssentials
import TapelineCore
import TapelineTestSupport
import Testing

/// What a request comes to is decided when the code that may decide about it has returned, however fast the server is.
@Suite struct OutcomesTests {
  private struct Refusal: Error {}

  private func origin(_ body: String = "side A") throws -> ScriptedOrigin {
    try ScriptedOrigin(patience: 600, [.forever([.expectRequest, .respond(body: body)])])
  }

  // MARK: Streams

  @Test("The error of a stream's handler is its request's, also when the body had been complete before")
  func streamHandlerThrows() throws {
    let origin = try origin()
    let session = Session(configuration: .patient)
    for _ in 0..<20 {
      let ended = Awaited<TapelineError?>()
      session.streamRequest(origin.url()).responseStream { stream in
        switch stream.event {
        case .stream: throw Refusal()
        case .complete(let completion): ended.take(completion.error)
        }
      }
      #expect(try ended.wait()?.underlyingError is Refusal)
    }
  }

  @Test("A piece that cannot be serialized cancels the request, if that is wanted, however short the body is")
  func streamErrorCancels() async throws {
    let origin = try origin("not JSON")
    let session = Session(configuration: .patient)
    for _ in 0..<20 {
      let ended = Awaited<TapelineError?>()
      session.streamRequest(origin.url(), automaticallyCancelOnStreamError: true).responseStreamDecodable(of: Int.self) {
        stream in
        if case .complete(let completion) = stream.event { ended.take(completion.error) }
      }
      #expect(try ended.wait()?.isExplicitlyCancelledError == true)
      let events = session.streamRequest(origin.url(), automaticallyCancelOnStreamError: true).streamTask()
        .streamingDecodables(Int.self)
      var completion: DataStreamRequest.Completion?
      for await event in events { completion = event.completion ?? completion }
      #expect(completion?.error?.isExplicitlyCancelledError == true)
    }
  }

  @Test("A stream's request ends although nobody takes the pieces of a sequence")
  func untakenPieces() throws {
    let session = Session(configuration: .patient)
    let ended = Awaited<Void>()
    let request = session.streamRequest(try origin().url())
    let events = request.streamingData()
    request.onFinish { ended.take(()) }
    try ended.wait()
    withExtendedLifetime(events) {}
  }

  // MARK: Retriers and other code that answers by a completion

  /// Waits until the session has gone on three times: what was told to it before has happened by then.
  private static func letGoOn(_ session: Session) {
    for _ in 0..<3 {
      let done = DispatchSemaphore(value: 0)
      session.withAllRequests { _ in done.signal() }
      done.wait()
    }
  }

  @Test("The next attempt begins when the retrier has returned")
  func retrierReturnsFirst() throws {
    final class Late: RequestInterceptor {
      let hasReturned = Protected(false)
      let seen = Protected<[Bool]>([])

      func adapt(
        _ urlRequest: URLRequest, for session: Session,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
      ) {
        seen.write { $0.append(hasReturned.wrappedValue) }
        completion(.success(urlRequest))
      }

      func retry(
        _ request: Request, for session: Session, dueTo error: any Error, completion: @escaping @Sendable (RetryResult) -> Void
      ) {
        guard request.retryCount == 0 else { return completion(.doNotRetry) }
        completion(.retry)
        OutcomesTests.letGoOn(session)
        seen.write { $0.append(request.retryCount == 1) }
        hasReturned.wrappedValue = true
      }
    }
    let origin = try ScriptedOrigin(patience: 600, [.forever([.expectRequest, .respond("500 Oops")])])
    let late = Late()
    let ended = Awaited<Void>()
    let session = Session(configuration: .patient)
    session.request(origin.url(), interceptor: late).validate().response { _ in ended.take(()) }
    try ended.wait()
    #expect(late.seen.wrappedValue == [false, false, true])
    #expect(origin.requests.count == 2)
  }

  @Test("What a handler does after its answer is done before the request ends")
  func headHandlerReturnsFirst() throws {
    let origin = try origin()
    let session = Session(configuration: .patient)
    let hasReturned = Protected(false)
    let ended = Awaited<Bool>()
    session.request(origin.url())
      .onHTTPResponse { _, completionHandler in
        completionHandler(.cancel)
        Self.letGoOn(session)
        hasReturned.wrappedValue = true
      }
      .response(queue: DispatchQueue(label: "another")) { _ in ended.take(hasReturned.wrappedValue) }
    #expect(try ended.wait())
  }

  @Test("A retrier's error wraps the request's, also when it is the very same")
  func retrierError() async throws {
    let origin = try ScriptedOrigin(patience: 600, [.forever([.expectRequest, .respond("401 Unauthorized")])])
    let session = Session(configuration: .patient)
    let handsBack = Retrier { _, _, error, completion in completion(.doNotRetryWithError(error)) }
    let response = await session.request(origin.url(), interceptor: handsBack).validate().serializingString().response
    guard case .requestRetryFailed(let retryError, let original)? = response.error else {
      Issue.record("unexpected: \(String(describing: response.error))")
      return
    }
    #expect((retryError as? TapelineError)?.responseCode == 401)
    #expect((original as? TapelineError)?.responseCode == 401)
  }

  // MARK: Cancelling

  @Test("Monitors hear of a cancellation, then of the end, and of each once, however many cancel")
  func cancellations() throws {
    let origin = try ScriptedOrigin(patience: 600, [.expectRequest, .expectEnd])
    for _ in 0..<20 {
      let log = EventLog()
      let finished = Awaited<Void>()
      let monitor = ClosureEventMonitor(queue: DispatchQueue(label: "monitor"))
      monitor.requestDidResume = { _ in log.add("resume") }
      monitor.requestDidCancel = { _ in log.add("cancel") }
      monitor.requestDidCancelTask = { _, _ in log.add("cancelTask") }
      monitor.requestDidFinish = { _ in
        log.add("finish")
        finished.take(())
      }
      let session = Session(configuration: .patient, eventMonitors: [monitor])
      let request = session.request(origin.url())
      let answers = Awaited<TapelineError?>()
      request.response { answers.take($0.result.error) }
      DispatchQueue.concurrentPerform(iterations: 50) { _ in request.cancel() }
      #expect(try answers.wait()?.isExplicitlyCancelledError == true)
      try finished.wait()
      session.withAllRequests { _ in finished.take(()) }
      try finished.wait()
      #expect(log.all.filter { $0 == "cancel" } == ["cancel"])
      #expect(log.all.filter { $0 == "finish" } == ["finish"])
      #expect(log.all.filter { $0 == "cancelTask" }.count <= 1)
      #expect(log.all.last == "finish", "\(log.all)")
      #expect(answers.count == 0)
    }
  }

  @Test("A cancellation while a task runs is told before the end")
  func cancelledTask() throws {
    let origin = try ScriptedOrigin(patience: 600, [.forever([.expectRequest, .expectEnd])])
    let log = EventLog()
    let finished = Awaited<Void>()
    let monitor = ClosureEventMonitor(context: .loop)
    monitor.requestDidCreateTask = { request, _ in request.cancel() }
    monitor.requestDidCancel = { _ in log.add("cancel") }
    monitor.requestDidCancelTask = { _, _ in log.add("cancelTask") }
    monitor.requestDidFinish = { _ in finished.take(log.add("finish")) }
    let session = Session(configuration: .patient, eventMonitors: [monitor])
    session.request(origin.url()).resume()
    try finished.wait()
    #expect(log.all == ["cancel", "cancelTask", "finish"])
  }
}
