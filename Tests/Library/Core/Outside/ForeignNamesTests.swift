import Dispatch
import FoundationEssentials
import TapelineCore
import TapelineTestSupport
import Testing

/// Names of other libraries, and what they do here: on sockets, by the public face alone.
@Suite struct ForeignNamesTests {
  private let session = Session(configuration: .patient)

  @Test("A failure on the wire has the code of Foundation's URLError")
  func urlError() async throws {
    let closed = try ScriptedOrigin(patience: 600, [.expectRequest, .close])
    let lost = await session.request(closed.url()).serializingString().response.error
    #expect((lost?.underlyingError as? SessionTaskError)?.code == .networkConnectionLost)
    guard case .sessionTaskFailed(let error as SessionTaskError)? = lost else {
      Issue.record("\(String(describing: lost))")
      return
    }
    #expect(error.errorCode == -1005)
    #expect(lost?.urlErrorCode == .networkConnectionLost)
    #expect(error._domain == "NSURLErrorDomain")
    #expect(error._code == -1005)
    let refused = await session.request("http://127.0.0.1:1/").serializingString().response.error
    #expect((refused?.underlyingError as? SessionTaskError)?.code == .cannotConnectToHost)
    #expect(refused?.asAFError?.isSessionTaskError == true)
  }

  @Test("A retry policy can name its failures by their codes")
  func retryByCode() async throws {
    let origin = try ScriptedOrigin(patience: 600) { connection in
      connection == 0 ? [.expectRequest, .close] : [.expectRequest, .respond(body: "side A"), .expectEnd]
    }
    let policy = RetryPolicy(exponentialBackoffScale: 0.001, retryableURLErrorCodes: [.networkConnectionLost])
    #expect(policy.retryableFailures == [.connectionLost])
    #expect(try await session.request(origin.url(), interceptor: policy).serializingString().value == "side A")
    #expect(RetryPolicy(retryableURLErrorCodes: [.notConnectedToInternet]).retryableFailures == [.cannotConnectToHost])
  }

  @Test("A task has its requests, before and after a redirection, and a text of the program's own")
  func taskRequests() async throws {
    let origin = try ScriptedOrigin(
      patience: 600,
      [
        .forever([
          .answer { request in
            Array(
              (request.startLine.contains("/from")
                ? "HTTP/1.1 302 Found\r\nLocation: /to\r\nContent-Length: 0\r\n\r\n"
                : "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").utf8)
          }
        ])
      ])
    let request = session.request(origin.url("/from"), headers: ["Authorization": "Bearer x"])
    _ = await request.serializingString().response
    let task = try #require(request.task)
    #expect(task.originalRequest?.value(forHTTPHeaderField: "Authorization") == "Bearer x")
    #expect(task.originalRequest?.url?.path == "/from")
    #expect(task.currentRequest?.url?.path == "/to")
    task.taskDescription = "mine"
    #expect(request.task?.taskDescription == "mine")
  }

  @Test("Heads and tasks come as sequences, and an async handler decides about the body")
  func heads() async throws {
    let origin = try ScriptedOrigin(patience: 600, [.forever([.expectRequest, .respond(body: "side A")])])
    let heard = session.request(origin.url(), shouldAutomaticallyResume: false)
    let (heads, tasks) = (heard.httpResponses(), heard.urlSessionTasks())
    heard.response { _ in }.resume()
    var statuses: [Int] = []
    for await head in heads { statuses.append(head.statusCode) }
    var count = 0
    for await _ in tasks { count += 1 }
    #expect(statuses == [200])
    #expect(count == 1)
    let refused = session.request(origin.url()).onHTTPResponse { response in
      await Task.yield()
      return response.statusCode == 200 ? .cancel : .allow
    }
    #expect(await refused.serializingString().response.error?.isExplicitlyCancelledError == true)
    let stream = session.streamRequest(origin.url()).onHTTPResponse { _ in
      await Task.yield()
      return .allow
    }
    var text = ""
    for try await piece in stream.bytes() { text += String(decoding: piece, as: UTF8.self) }
    #expect(text == "side A")
    let looked = Protected<[Int]>([])
    for _ in 0..<2 {
      let request = session.request(origin.url()).onHTTPResponse { response in
        await Task.yield()
        looked.write { $0.append(response.statusCode) }
      }
      #expect(await request.serializingString().response.value == "side A")
    }
    #expect(looked.wrappedValue == [200, 200])
  }

  @Test("A retrier finds the value that a request was made of")
  func convertible() async throws {
    struct Tape: URLRequestConvertible {
      let url: String
      func asURLRequest() throws -> URLRequest { try URLRequest(url: url, method: .get) }
    }
    let origin = try ScriptedOrigin(patience: 600, [.forever([.expectRequest, .respond("503 Service Unavailable")])])
    let found = Protected<[String]>([])
    let retrier = Retrier { request, _, _, completion in
      let tape = (request as? DataRequest)?.convertible as? Tape
      found.write { $0.append(tape?.url ?? "none") }
      completion(request.retryCount == 0 ? .retry : .doNotRetry)
    }
    let interceptor = Interceptor(retriers: [retrier])
    _ = await session.request(Tape(url: origin.url()), interceptor: interceptor).validate().serializingData().response
    #expect(Set(found.wrappedValue) == [origin.url()])
    #expect(session.request(origin.url()).convertible.urlRequest?.url?.absoluteString == origin.url())
  }

  @Test("A head compares, has its fields by name, and can be made by Foundation's labels")
  func head() throws {
    let url = try #require(URL(string: "http://localhost/"))
    let head = try #require(
      HTTPURLResponse(url: url, statusCode: 404, httpVersion: "HTTP/1.1", headerFields: ["etag": "x", "content-type": "a/b"]))
    #expect(
      head == HTTPURLResponse(url: url, statusCode: 404, httpVersion: nil, headerFields: ["content-type": "a/b", "etag": "x"]))
    #expect(head != HTTPURLResponse(url: url, statusCode: 404, httpVersion: nil, headerFields: nil))
    #expect(head.allHeaderFields["ETag"] as? String == "x")
    #expect(head.allHeaderFields["Content-Type"] as? String == "a/b")
    #expect(HTTPURLResponse.localizedString(forStatusCode: 404) == "not found")
  }

  @Test("A form is one object, whoever fills it; an upload takes what it has then")
  func form() async throws {
    let origin = try ScriptedOrigin(patience: 600, [.expectRequest, .respond(), .expectEnd])
    func fill(_ form: MultipartFormData) { form.append(Data("one".utf8), withName: "a") }
    let form = MultipartFormData()
    fill(form)
    let upload = session.upload(multipartFormData: form, to: origin.url())
    form.append(Data("two".utf8), withName: "b")
    _ = await upload.serializingString(emptyResponseCodes: [200]).response
    let body = try #require(origin.requests.first).body
    #expect(String(decoding: body, as: UTF8.self).contains("one"))
    #expect(!String(decoding: body, as: UTF8.self).contains("two"))
  }

  @Test("Classes that programs subclass can be subclassed")
  func subclasses() async throws {
    final class Deck: Session, @unchecked Sendable {}
    final class Doorman: ServerTrustManager, @unchecked Sendable {
      struct Stranger: Error {}

      override func serverTrustEvaluator(forHost host: String) throws -> (any ServerTrustEvaluating)? { throw Stranger() }
    }
    final class Delegate: SessionDelegate, @unchecked Sendable {}
    let deck = Deck(configuration: .patient, delegate: Delegate(), serverTrustManager: Doorman(evaluators: [:]))
    let origin = try ScriptedOrigin(patience: 600, [.forever([.expectRequest, .respond(body: "side A")])])
    #expect(try await deck.request(origin.url()).serializingString().value == "side A")
    let refused = await deck.request("https://\(origin.authority)/").serializingString().response.error
    #expect(refused?.isServerTrustEvaluationError == true)
    #expect(refused?.underlyingError is Doorman.Stranger)
  }

  @Test("A closure monitor can be changed when a session has it")
  func lateClosures() throws {
    let monitor = ClosureEventMonitor()
    let session = Session(configuration: .patient, eventMonitors: [monitor])
    let heard = Awaited<Int?>()
    monitor.requestDidParseResponse = { _, response in heard.take(response.response?.statusCode) }
    let origin = try ScriptedOrigin(patience: 600, [.expectRequest, .respond(), .expectEnd])
    session.request(origin.url()).response { _ in }
    #expect(try heard.wait() == 200)
  }

  @Test(
    "A number in a dictionary is written as forms have always had it", arguments: [(1.0, "1"), (1.5, "1.5"), (1e16, "1e+16")])
  func numbers(number: Double, text: String) throws {
    let request = try URLEncoding.queryString.encode(URLRequest(url: "http://a/", method: .get), with: ["n": number])
    #expect(request.url?.absoluteString.removingPercent == "http://a/?n=\(text)")
  }
}

extension String {
  fileprivate var removingPercent: String { replacing("%2B", with: "+") }
}

/// Fields after a body.
@Suite struct TrailersTests {
  @Test("The trailers of a response are kept")
  func trailers() async throws {
    let origin = try ScriptedOrigin(
      patience: 600,
      [
        .expectRequest,
        .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: Digest\r\n\r\n2\r\nok\r\n0\r\nDigest: x\r\n\r\n"),
        .expectRequest, .respond(), .expectEnd,
      ])
    let session = Session(configuration: .patient)
    let request = session.request(origin.url())
    #expect(try await request.serializingString().value == "ok")
    #expect(request.trailers == ["Digest": "x"])
    let plain = session.request(origin.url())
    _ = await plain.serializingString().response
    #expect(plain.trailers == nil)
  }
}
