import FoundationEssentials
import TapelineHTTP
import Testing

@testable import TapelineCore

@Suite struct RedirectionTests {
  private func request(
    _ method: HTTPMethod = .get, _ url: String = "http://origin.example/a/b?c#f", headers: HTTPHeaders = [], body: Data? = nil
  ) throws -> URLRequest {
    var request = try URLRequest(url: url, method: method, headers: headers)
    request.httpBody = body
    return request
  }

  private func redirection(_ request: URLRequest, _ status: Int = 302, to location: String?) throws -> Redirection? {
    let fields = location.map { HeaderFields([("Location", $0)]) } ?? HeaderFields()
    return try Redirection(
      of: request, by: HTTPURLResponse(head: ResponseHead(status: status, fields: fields), request: request.head()))
  }

  // MARK: Method and body

  @Test(
    "RFC 9110 15.4: which method the next request has",
    arguments: [
      (301, "GET", "GET"), (301, "HEAD", "HEAD"), (301, "POST", "GET"), (301, "PUT", "PUT"), (301, "DELETE", "DELETE"),
      (302, "GET", "GET"), (302, "HEAD", "HEAD"), (302, "POST", "GET"), (302, "PATCH", "PATCH"), (303, "GET", "GET"),
      (303, "HEAD", "HEAD"),
      (303, "POST", "GET"), (303, "PUT", "GET"), (303, "DELETE", "GET"), (307, "GET", "GET"), (307, "POST", "POST"),
      (307, "PUT", "PUT"),
      (308, "POST", "POST"), (308, "HEAD", "HEAD"),
    ])
  func method(status: Int, from method: String, to next: String) throws {
    let redirection = try #require(try redirection(request(HTTPMethod(rawValue: method)), status, to: "/x"))
    #expect(redirection.request.method.rawValue == next)
    #expect(redirection.dropsBody == (method != next))
  }

  @Test("RFC 9110 15.4: with the content goes what describes it")
  func contentFields() throws {
    let headers: HTTPHeaders = ["Content-Type": "a/b", "content-encoding": "gzip", "Accept": "*/*", "Expect": "100-continue"]
    let asked = try request(.post, headers: headers, body: Data([1]))
    let dropped = try #require(try redirection(asked, 303, to: "/x")).request
    #expect(dropped.httpBody == nil)
    #expect(dropped.headers == ["Accept": "*/*"])
    let kept = try #require(try redirection(asked, 307, to: "/x")).request
    #expect(kept.httpBody == Data([1]))
    #expect(kept.headers == headers)
  }

  @Test("RFC 9110 15.4: other statuses, and none or an empty Location, redirect nowhere")
  func noRedirection() throws {
    for status in [200, 201, 300, 304, 305, 306, 399, 404] {
      #expect(try redirection(request(), status, to: "/x") == nil)
    }
    #expect(try redirection(request(), to: nil) == nil)
    #expect(try redirection(request(), to: "") == nil)
  }

  // MARK: Where to

  @Test(
    "RFC 9110 10.2.2: Location is a reference, and the fragment is inherited",
    arguments: [
      ("http://other.example/x", "http://other.example/x#f"), ("/x", "http://origin.example/x#f"),
      ("x?y", "http://origin.example/a/x?y#f"), ("../x#g", "http://origin.example/x#g"), ("?z", "http://origin.example/a/b?z#f"),
      ("//other.example:8080/x", "http://other.example:8080/x#f"), ("HTTPS://Origin.Example/", "https://Origin.Example/#f"),
      ("/a b", "http://origin.example/a%20b#f"), ("/\u{E4}", "http://origin.example/%C3%A4#f"),
      ("/x#", "http://origin.example/x#"),
    ])
  func location(location: String, url: String) throws {
    let next = try #require(try redirection(request(), to: location)).request
    #expect(next.url?.absoluteString == url)
  }

  @Test("A Location that URL would rewrite goes out unchanged", arguments: ["/a%zz", "/q?x=[1]&y=%5B"])
  func exactTarget(location: String) throws {
    let next = try #require(try redirection(request(), to: location)).request
    #expect(try next.head().targetText == "http://origin.example\(location)")
  }

  @Test("A target of the first request's own does not outlive it")
  func ownTarget() throws {
    var asked = try request()
    asked.target = "/exact"
    let next = try #require(try redirection(asked, to: "y")).request
    #expect(next.target == nil)
    #expect(next.url?.absoluteString == "http://origin.example/y#f")
  }

  @Test("A server does not choose our credentials")
  func userinfo() throws {
    let next = try #require(try redirection(request(), to: "http://me:pw@other.example/")).request
    #expect(next.url?.absoluteString == "http://other.example/#f")
  }

  @Test("An unusable Location is an error with its text", arguments: ["http://", "http://[::1", "http://a:b:c/"])
  func invalidLocation(location: String) throws {
    do {
      let next = try redirection(request(), to: location)
      // What `URL` accepts is refused when it is sent.
      #expect(throws: TapelineError.self) { try next?.request.head() }
    } catch let error as TapelineError {
      guard case .redirectionFailed(reason: .invalidLocation(let text)) = error else { throw error }
      #expect(text == location)
    }
  }

  // MARK: Secrets

  private static let secrets: HTTPHeaders = [
    "Authorization": "Bearer x", "cookie": "a=b", "Proxy-Authorization": "Basic y", "Host": "front.example", "Referer": "r",
    "Accept": "*/*",
  ]

  @Test(
    "RFC 9110 15.4: another origin learns no secrets: another host, another port, another scheme",
    arguments: ["http://other.example/", "http://origin.example:81/", "https://origin.example/", "//sub.origin.example/"])
  func crossOrigin(location: String) throws {
    let next = try #require(try redirection(request(headers: Self.secrets), to: location)).request
    #expect(next.headers == ["Referer": "r", "Accept": "*/*"])
  }

  @Test(
    "RFC 9110 15.4: the same origin learns what it knows",
    arguments: ["/x", "http://ORIGIN.example/", "http://origin.example:80/", "//origin.example/x"])
  func sameOrigin(location: String) throws {
    let next = try #require(try redirection(request(headers: Self.secrets), to: location)).request
    #expect(next.headers == Self.secrets)
  }

  @Test("RFC 9110 10.1.3: from https to http goes no Referer either")
  func downgrade() throws {
    let asked = try request(.get, "https://origin.example/", headers: Self.secrets)
    let next = try #require(try redirection(asked, to: "http://origin.example/")).request
    #expect(next.headers == ["Accept": "*/*"])
  }
}
