import FoundationEssentials
import Testing

@testable import TapelineCore

@Suite struct URLRequestValidationTests {
  private func reason(of request: URLRequest) -> TapelineError.URLRequestValidationFailureReason? {
    do {
      try request.validate()
      return nil
    } catch {
      if case .urlRequestValidationFailed(let reason) = error { return reason }
      Issue.record("another error: \(error)")
      return nil
    }
  }

  private func request(_ url: String = "http://a.example/", method: HTTPMethod = .get) throws -> URLRequest {
    try URLRequest(url: url, method: method)
  }

  @Test("A GET with a body is refused, and the refusal carries the body")
  func bodyInGET() throws {
    var request = try request()
    request.httpBody = Data("x".utf8)
    #expect(reason(of: request) == .bodyDataInGETRequest(Data("x".utf8)))
    request.method = .post
    #expect(reason(of: request) == nil)
    request.method = HTTPMethod(rawValue: "get")
    #expect(reason(of: request) == nil)
  }

  @Test(arguments: ["", "GE T", "GET\r\nX: y", "G\u{C9}T", "CONNECT"])
  func methods(method: String) throws {
    #expect(reason(of: try request(method: HTTPMethod(rawValue: method))) == .invalidMethod(method))
  }

  @Test(arguments: [("X", "a\r\nHost: evil"), ("X", "a\nb"), ("X", "\0"), ("X Y", "1"), ("", "1"), ("X\r\nY", "1")])
  func fields(name: String, value: String) throws {
    var request = try request()
    request.headers.append(name: name, value: value)
    #expect(reason(of: request) == .invalidHeader(name: name))
  }

  @Test(arguments: [("ftp://a.example/", "ftp"), ("mailto:a@b.example", "mailto"), ("/path", nil), ("a.example:80", "a.example")])
  func schemes(url: String, scheme: String?) throws {
    #expect(reason(of: try request(url)) == .unsupportedScheme(scheme, in: try #require(URL(string: url))))
  }

  @Test(arguments: ["http:///path", "http://:80/", "http://a%20b/", "http://a:99999/", "http://a:0/"])
  func hosts(url: String) throws {
    #expect(reason(of: try request(url)) == .invalidHost(in: try #require(URL(string: url))))
  }

  @Test func aRequestWithoutURL() throws {
    var request = try request()
    request.url = nil
    #expect(reason(of: request) == .missingURL)
  }

  @Test(arguments: ["*", "path", "http://b.example/", "/a b", "/a\r\nX: y", "/a#b", ""])
  func targets(target: String) throws {
    var request = try request()
    request.target = target
    #expect(reason(of: request) == .invalidTarget)
  }

  @Test func severalHosts() throws {
    var request = try request()
    request.headers.append(name: "Host", value: "a.example")
    request.headers.append(name: "Host", value: "b.example")
    #expect(reason(of: request) == .invalidHost(in: try #require(request.url)))
  }
}
