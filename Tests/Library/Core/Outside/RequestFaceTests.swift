import Dispatch
import FoundationEssentials
import TapelineCore
import TapelineTestSupport
import Testing

/// What those who come from Alamofire look for on requests and responses.
@Suite struct RequestFaceTests {
  private let session = Session(configuration: .patient)
  private let origin: ScriptedOrigin

  init() throws {
    origin = try ScriptedOrigin(
      patience: 600, [.forever([.expectRequest, .respond(fields: ["Content-Type: text/plain"], body: "side A")])])
  }

  @Test("A user's operation runs at the gate: before the handlers, or at once after the end")
  func operations() throws {
    let (log, ended) = (EventLog(), Awaited<Void>())
    let request = session.request(origin.url(), shouldAutomaticallyResume: false)
    request.responseString { _ in
      log.add("handler")
      ended.take(())
    }
    request.delegate.queue.addOperation { log.add("operation") }
    #expect(log.all.isEmpty)
    request.resume()
    try ended.wait()
    #expect(log.all == ["operation", "handler"])
    request.delegate.queue.addOperation { ended.take(()) }
    try ended.wait()
  }

  @Test("A data request's head arrives before the body is read, and its handler can end the request")
  func head() async throws {
    let heads = Awaited<Int>()
    let heard = session.request(origin.url()).onHTTPResponse { response in heads.take(response.statusCode) }
    #expect(try await heard.serializingString().value == "side A")
    #expect(try heads.wait() == 200)
    let refused = session.request(origin.url()).onHTTPResponse { _, completionHandler in completionHandler(.cancel) }
    #expect(await refused.serializingString().response.error?.isExplicitlyCancelledError == true)
    let allowed = session.upload(Data("x".utf8), to: origin.url()).onHTTPResponse { _, completionHandler in
      completionHandler(.allow)
    }
    #expect(try await allowed.serializingString().value == "side A")
  }

  @Test("A task has the head of its response")
  func taskResponse() async throws {
    let request = session.request(origin.url())
    #expect(request.task?.response == nil)
    _ = await request.serializingString().response
    #expect(request.task?.response?.statusCode == 200)
    #expect(request.task?.response?.mimeType == "text/plain")
    #expect(request.task?.response?.url?.absoluteString == origin.url())
  }

  @Test("All requests in flight can be listed")
  func allRequests() throws {
    let silent = try ScriptedOrigin(patience: 600, [.expectRequest, .expectEnd])
    let request = session.request(silent.url())
    let ended = Awaited<TapelineError?>()
    request.response { ended.take($0.result.error) }
    _ = try silent.waitForRequests(1, seconds: 600)
    let seen = Awaited<Set<Request>>()
    session.withAllRequests { requests in
      seen.take(requests)
      for request in requests { request.cancel() }
    }
    #expect(try seen.wait() == [request])
    #expect(try ended.wait()?.isExplicitlyCancelledError == true)
  }

  @Test("The last of two redirect handlers applies")
  func twoRedirectHandlers() async throws {
    let redirecting = try ScriptedOrigin(
      patience: 600,
      [
        .expectRequest, .respond("302 Found", fields: ["Location: \(origin.url())"]), .expectEnd,
      ])
    let request = session.request(redirecting.url()).redirect(using: .doNotFollow).redirect(using: .follow)
    #expect(await request.serializingString().response.response?.statusCode == 200)
  }

  @Test("An error names the acceptable types in the order of the alphabet")
  func acceptableTypes() async throws {
    let given = ["image/webp", "application/json", "image/avif"]
    let response = await session.request(origin.url()).validate(contentType: given).serializingString().response
    #expect(response.error?.acceptableContentTypes == given.sorted())
    #expect(response.error?.responseContentType == "text/plain")
  }

  @Test("A retrier's decision can be read")
  func retryResults() {
    struct Refusal: Error {}
    let results: [RetryResult] = [.retry, .retryWithDelay(2), .doNotRetry, .doNotRetryWithError(Refusal())]
    #expect(results.map(\.retryRequired) == [true, true, false, false])
    #expect(results.map(\.delay) == [nil, 2, nil, nil])
    #expect(results.map { $0.error is Refusal } == [false, false, false, true])
  }

  @Test("A closure turns an error into another error, also by throwing")
  func tryMapError() async throws {
    struct Refusal: Error {}
    let closed = try ScriptedOrigin(patience: 600, [.close])
    let response = await session.request(closed.url()).serializingString().response
    #expect(response.tryMapError { _ in throw Refusal() }.error?.underlyingError is Refusal)
    #expect(response.tryMapError { _ in Refusal() }.error?.underlyingError is Refusal)
    let file = await session.download(closed.url()).serializingData().response
    #expect(file.tryMapError { _ in throw Refusal() }.error?.underlyingError is Refusal)
  }

  @Test("A monitor that names a queue gets its events on that queue")
  func monitorQueue() throws {
    struct Listener: EventMonitor {
      static let key = DispatchSpecificKey<String>()
      let queue = DispatchQueue(label: "listener")
      let seen = Awaited<String?>()

      func requestDidFinish(_ request: Request) { seen.take(DispatchQueue.getSpecific(key: Self.key)) }
    }
    let listener = Listener()
    listener.queue.setSpecific(key: Listener.key, value: "its own")
    let listened = Session(configuration: .patient, eventMonitors: [listener])
    listened.request(origin.url()).resume()
    #expect(try listener.seen.wait() == "its own")
  }

  @Test("A task delegate has its request's progress and handler of progress, and the body so far")
  func delegateProgress() throws {
    let request = session.request(origin.url(), shouldAutomaticallyResume: false)
    let delegate = try #require(request.delegate as? DataTaskDelegate)
    let (heard, ended) = (Awaited<Int64>(), Awaited<Void>())
    delegate.progressHandler = ({ progress in heard.take(progress.completedUnitCount) }, DispatchQueue(label: "progress"))
    #expect(delegate.progressHandler?.queue.label == "progress")
    request.response { _ in ended.take(()) }.resume()
    #expect(try heard.wait() == 6)
    try ended.wait()
    #expect(delegate.progress.completedUnitCount == 6)
    #expect(delegate.mutableData == Data("side A".utf8))
    delegate.progressHandler = nil
    #expect(delegate.progressHandler == nil)
  }
}
