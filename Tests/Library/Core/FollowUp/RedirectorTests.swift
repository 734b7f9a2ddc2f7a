import FoundationEssentials
import Synchronization
import TapelineLoop
import TapelineTestSupport
import Testing

@testable import TapelineCore
@testable import TapelineTransport

/// Redirections of a session's requests, on sockets.
@Suite struct RedirectorTests {
  /// Held for the length of the test, as a session that is let go of ends its requests.
  private let session = Session()

  private static func redirect(_ location: String, status: String = "302 Found", body: String = "moved") -> OriginStep {
    .respond(status, fields: ["Location: \(location)"], body: body)
  }

  /// Answers requests on one connection, one after the other.
  private func makeOrigin(_ steps: OriginStep...) throws -> ScriptedOrigin {
    try ScriptedOrigin(steps.flatMap { [.expectRequest, $0] } + [.expectEnd])
  }

  @Test("Redirections are followed by default")
  func follows() throws {
    let origin = try makeOrigin(Self.redirect("/two"), Self.redirect("three", status: "301 Moved"), .respond(body: "here"))
    let request = session.request(origin.url("/one"))
    let outcome = try request.awaitedOutcome().wait()
    #expect(outcome.value == "here")
    #expect(outcome.response?.url?.absoluteString == origin.url("/three"))
    #expect(origin.requests.map { $0.startLine } == ["GET /one HTTP/1.1", "GET /two HTTP/1.1", "GET /three HTTP/1.1"])
    #expect(origin.connections.count == 1)
    let metrics = try #require(outcome.timing.metrics)
    #expect(metrics.redirectCount == 2)
    #expect(metrics.transactions.map(\.statusCode) == [302, 301, 200])
    #expect(metrics.transactions.map(\.requestURL) == [origin.url("/one"), origin.url("/two"), origin.url("/three")])
    #expect(request.task?.originalRequestHead?.targetText == origin.url("/one"))
  }

  @Test("A handler may take the redirection as the response, with its body")
  func doesNotFollow() throws {
    let origin = try makeOrigin(Self.redirect("myapp://callback?code=1"))
    let session = Session(redirectHandler: .doNotFollow)
    let outcome = try session.request(origin.url()).awaitedOutcome().wait()
    #expect(outcome.value == "moved")
    #expect(outcome.response?.statusCode == 302)
    #expect(outcome.response?.value(forHTTPHeaderField: "Location") == "myapp://callback?code=1")
    #expect(outcome.timing.metrics?.redirectCount == 0)
  }

  @Test("A handler may have another request sent")
  func modifies() throws {
    let origin = try makeOrigin(Self.redirect("/two"), .respond(body: "here"))
    let session = Session(
      redirectHandler: .modify { _, request, response in
        var request = request
        request.headers["X-From"] = "\(response.statusCode)"
        return request
      })
    let outcome = try session.request(origin.url()).awaitedOutcome().wait()
    #expect(outcome.value == "here")
    #expect(origin.requests.map { $0.values(of: "X-From") } == [[], ["302"]])
  }

  @Test("A request's handler beats its session's")
  func requestBeatsSession() throws {
    let origin = try makeOrigin(Self.redirect("/two"))
    let session = Session(redirectHandler: .follow)
    let request = session.request(origin.url(), shouldAutomaticallyResume: false).redirect(using: .doNotFollow)
    let awaited = request.awaitedOutcome()
    request.resume()
    #expect(try awaited.wait().response?.statusCode == 302)
  }

  @Test("A handler may answer late, and its second answer is ignored")
  func asynchronously() throws {
    let origin = try makeOrigin(Self.redirect("/two"), .respond(body: "here"))
    let handler = LateHandler()
    let session = Session(redirectHandler: handler)
    let awaited = session.request(origin.url()).awaitedOutcome()
    let (request, completion) = try handler.asked.wait()
    #expect(awaited.count == 0)
    completion(request)
    completion(nil)
    #expect(try awaited.wait().value == "here")
  }

  @Test("A request can be cancelled while its handler is deciding")
  func cancelledMeanwhile() throws {
    let origin = try makeOrigin(Self.redirect("/two"))
    let handler = LateHandler()
    let session = Session(redirectHandler: handler)
    let request = session.request(origin.url())
    let awaited = request.awaitedOutcome()
    let (next, completion) = try handler.asked.wait()
    request.cancel()
    #expect(try awaited.wait().error?.isExplicitlyCancelledError == true)
    completion(next)
    session.engine.root.async {}
    #expect(origin.requests.count == 1)
  }

  @Test("A limit on redirections ends loops")
  func limit() throws {
    let origin = try ScriptedOrigin([.forever([.expectRequest, Self.redirect("/again")])])
    var configuration = SessionConfiguration.default
    configuration.maximumRedirects = 5
    let session = Session(configuration: configuration)
    let outcome = try session.request(origin.url()).awaitedOutcome().wait()
    guard case .redirectionFailed(reason: .tooManyRedirects(limit: 5)) = outcome.error else {
      Issue.record("\(String(describing: outcome.error))")
      return
    }
    #expect(origin.requests.count == 6)
    #expect(outcome.timing.metrics?.redirectCount == 5)
  }

  @Test("Twenty redirections are followed by default")
  func defaultLimit() {
    #expect(SessionConfiguration.default.maximumRedirects == 20)
  }

  @Test("Another scheme is an error that names it")
  func unsupportedScheme() throws {
    let origin = try makeOrigin(Self.redirect("ftp://files.example/"))
    let outcome = try session.request(origin.url()).awaitedOutcome().wait()
    guard case .redirectionFailed(reason: .unsupportedScheme("ftp")) = outcome.error else {
      Issue.record("\(String(describing: outcome.error))")
      return
    }
  }

  // MARK: Bodies

  @Test("RFC 9110 15.4.8: the body is sent again where the method stays", arguments: ["307 Temporary", "308 Permanent"])
  func bodyAgain(status: String) throws {
    let origin = try makeOrigin(Self.redirect("/two", status: status), .respond(body: "here"))
    let outcome = try session.upload(Data("hello".utf8), to: origin.url()).awaitedOutcome().wait()
    #expect(outcome.value == "here")
    #expect(origin.requests.map(\.bodyText) == ["hello", "hello"])
    #expect(origin.requests.map { $0.startLine } == ["POST / HTTP/1.1", "POST /two HTTP/1.1"])
  }

  @Test("RFC 9110 15.4.4: an upload that becomes a GET sends nothing, and its redirections neither")
  func bodyDropped() throws {
    let origin = try makeOrigin(
      Self.redirect("/two", status: "303 See Other"), Self.redirect("/three", status: "307 T"), .respond(body: "here"))
    let outcome = try session.upload(Data("hello".utf8), to: origin.url()).awaitedOutcome().wait()
    #expect(outcome.value == "here")
    #expect(origin.requests.map(\.bodyText) == ["hello", "", ""])
    #expect(origin.requests.map { $0.startLine } == ["POST / HTTP/1.1", "GET /two HTTP/1.1", "GET /three HTTP/1.1"])
    #expect(origin.requests.dropFirst().allSatisfy { $0.values(of: "Content-Length").isEmpty })
  }

  @Test("A body in memory is sent again too, and forgotten with a GET")
  func bodyInMemory() throws {
    let origin = try makeOrigin(
      Self.redirect("/two", status: "307 T"), Self.redirect("/three", status: "302 Found"), .respond(body: "here"))
    let outcome = try session.request(origin.url(), method: .post, parameters: ["a": "b"]).awaitedOutcome().wait()
    #expect(outcome.value == "here")
    #expect(origin.requests.map(\.bodyText) == ["a=b", "a=b", ""])
    #expect(origin.requests.map { $0.values(of: "Content-Type").count } == [1, 1, 0])
  }

  // MARK: Secrets

  @Test("Fields set for one origin do not reach another origin, and do not come back")
  func secrets() throws {
    let other = try makeOrigin(.respond(body: "here"))
    let origin = try makeOrigin(Self.redirect("/same"), Self.redirect(other.url()))
    let headers: HTTPHeaders = ["Authorization": "Bearer secret", "Cookie": "id=1", "X-Mine": "yes"]
    let outcome = try session.request(origin.url(), headers: headers).awaitedOutcome().wait()
    #expect(outcome.value == "here")
    #expect(origin.requests.map { $0.values(of: "Authorization") } == [["Bearer secret"], ["Bearer secret"]])
    let last = try #require(other.requests.first)
    #expect(last.values(of: "Authorization").isEmpty && last.values(of: "Cookie").isEmpty)
    #expect(last.values(of: "X-Mine") == ["yes"])
    #expect(last.values(of: "Host") == [other.authority])
  }

  @Test("Monitors and the override are notified of a redirection")
  func monitorsAndOverride() throws {
    let origin = try makeOrigin(Self.redirect("/two"), .respond(body: "here"))
    let log = EventLog()
    let monitor = RedirectionMonitor(log: log)
    let session = Session(eventMonitors: [monitor])
    session.delegate.taskWillPerformHTTPRedirection = { _, _, response, request in
      log.add("override \(response.statusCode)")
      return request
    }
    _ = try session.request(origin.url()).awaitedOutcome().wait()
    #expect(log.all == ["override 302", "redirected \(origin.url("/two"))"])
  }
}

/// Keeps what it is asked until the test answers.
private final class LateHandler: RedirectHandler {
  typealias Question = (request: URLRequest, completion: @Sendable (URLRequest?) -> Void)

  let asked = Awaited<Question>()

  func task(
    _ task: SessionTask, willBeRedirectedTo request: URLRequest, for response: HTTPURLResponse,
    completion: @escaping @Sendable (URLRequest?) -> Void
  ) {
    asked.take((request, completion))
  }
}

private struct RedirectionMonitor: EventMonitor {
  let log: EventLog
  var context: EventMonitorContext { .loop }

  func task(_ task: SessionTask, willBeRedirectedTo request: URLRequest, for response: HTTPURLResponse) {
    log.add("redirected \(request)")
  }
}
