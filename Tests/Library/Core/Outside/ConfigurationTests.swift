import Dispatch
import FoundationEssentials
import TapelineCore
import TapelineTestSupport
import Testing

/// The settings under the names that Foundation has for them, and the proxy that the environment names.
@Suite struct ConfigurationTests {
  @Test("Foundation's names set what they mean here")
  func names() {
    var configuration = URLSessionConfiguration.af.default
    configuration.timeoutIntervalForRequest = 30
    #expect(configuration.responseTimeout == 30)
    #expect(configuration.idleTimeout == 30)
    configuration.httpAdditionalHeaders = ["X-Client": "deck"]
    #expect(configuration.headers == ["X-Client": "deck"])
    #expect(configuration.httpAdditionalHeaders == ["X-Client": "deck"])
    configuration.httpAdditionalHeaders = nil
    #expect(configuration.headers.isEmpty)
    configuration.urlCache = nil
    configuration.urlCredentialStorage = nil
    #expect(Session(configuration: configuration).sessionConfiguration.timeoutIntervalForRequest == 30)
  }

  @Test("Without httpShouldSetCookies no cookie is sent or kept")
  func cookies() async throws {
    let origin = try ScriptedOrigin(
      patience: 600, [.forever([.expectRequest, .respond(fields: ["Set-Cookie: side=B; Path=/"])])])
    var configuration = SessionConfiguration.patient
    let storage = HTTPCookieStorage()
    configuration.httpCookieStorage = storage
    configuration.httpShouldSetCookies = false
    let session = Session(configuration: configuration)
    for _ in 0..<2 { _ = await session.request(origin.url()).serializingString().response }
    #expect(origin.requests.map { $0.values(of: "Cookie") } == [[], []])
    let url = try #require(URL(string: origin.url()))
    #expect(storage.cookies(for: url).isEmpty)
  }

  @Test("A request without httpShouldHandleCookies sends no cookie and keeps none")
  func cookiesOfARequest() async throws {
    let origin = try ScriptedOrigin(
      patience: 600, [.forever([.expectRequest, .respond(fields: ["Set-Cookie: side=B; Path=/"])])])
    let session = Session(configuration: .patient)
    var request = try URLRequest(url: origin.url(), method: .get)
    for handles in [false, true, true, false] {
      request.httpShouldHandleCookies = handles
      _ = await session.request(request).serializingString().response
    }
    #expect(origin.requests.map { $0.values(of: "Cookie") } == [[], [], ["side=B"], []])
  }

  @Test("The lowest version of TLS that a server is offered")
  func tlsVersion() {
    var configuration = URLSessionConfiguration.af.default
    #expect(configuration.tlsMinimumSupportedProtocolVersion == .TLSv12)
    configuration.tlsMinimumSupportedProtocolVersion = .TLSv13
    #expect(configuration.tls.versions == .tls13 ... .tls13)
  }

  @Test("Queues that were given are the session's; its own are on the root queue")
  func queues() async throws {
    let (root, own) = (DispatchQueue(label: "root"), DispatchQueue(label: "own"))
    let session = Session(rootQueue: root, requestQueue: own)
    #expect(session.rootQueue === root)
    #expect(session.requestQueue.label == "own")
    #expect(Session().rootQueue.label.hasSuffix("requestQueue"))
    let origin = try ScriptedOrigin(patience: 600, [.expectRequest, .respond(body: "side A"), .expectEnd])
    #expect(try await session.request(origin.url()).serializingString().value == "side A")
  }

  @Test(
    "The environment's proxy is that of HTTPS, else of HTTP",
    arguments: [
      ([:], nil), (["https_proxy": "http://a:1", "HTTP_PROXY": "http://b:2"], "http://a:1"),
      (["http_proxy": "b:2"], "http://b:2"), (["ALL_PROXY": "http://c:3"], "http://c:3"),
      (["ALL_PROXY": "socks5h://c:3"], "socks5://c:3"),
      (["HTTP_PROXY": "http://b:2", "REQUEST_METHOD": "GET"], nil), (["http_proxy": ""], nil),
    ] as [([String: String], String?)])
  func proxy(environment: [String: String], expected: String?) throws {
    #expect(try SessionConfiguration.proxyFromEnvironment(environment)?.description == expected)
  }

  @Test("A proxy that cannot be used is an error that says so")
  func refusedProxy() {
    #expect(throws: UpstreamProxyError.self) { try SessionConfiguration.proxyFromEnvironment(["ALL_PROXY": "https://a:1"]) }
  }

  @Test("A request goes through the environment's proxy if it is asked to, and otherwise never")
  func throughTheProxy() async throws {
    let proxy = try ScriptedOrigin(patience: 600, [.forever([.expectRequest, .respond(body: "by proxy")])])
    var configuration = SessionConfiguration.patient
    configuration.upstreamProxy = try SessionConfiguration.proxyFromEnvironment(["http_proxy": proxy.url()])
    let session = Session(configuration: configuration)
    #expect(try await session.request("http://origin.example/tape").serializingString().value == "by proxy")
    #expect(proxy.requests.map(\.startLine) == ["GET http://origin.example/tape HTTP/1.1"])
  }
}
