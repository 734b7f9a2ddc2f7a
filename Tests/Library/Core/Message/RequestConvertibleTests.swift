import FoundationEssentials
import Synchronization
import Testing

@testable import TapelineCore

@Suite struct RequestConvertibleTests {
  /// Keeps what it was asked to encode into.
  private final class SpyEncoding: ParameterEncoding {
    let seen = Mutex<[URLRequest]>([])

    func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
      let request = try urlRequest.asURLRequest()
      seen.withLock { $0.append(request) }
      return request
    }
  }

  private struct Refusing: URLConvertible {
    struct Refusal: Error {}

    func asURL() throws -> URL { throw Refusal() }
  }

  @Test("The parts are evaluated later, not where they are given")
  func lateEvaluation() {
    let convertible = RequestConvertible(url: Refusing())
    #expect(throws: Refusing.Refusal.self) { try convertible.asURLRequest() }
  }

  @Test("The defaults are GET, no parameters, URLEncoding and no headers")
  func defaults() throws {
    let request = try RequestConvertible(url: "http://a.example/").asURLRequest()
    #expect(request.method == .get)
    #expect(request.headers.isEmpty)
    #expect(request.description == "http://a.example/")
    let parameters: Parameters = ["b": 1, "a": "x y"]
    let encoded = try RequestConvertible(url: "http://a.example/", parameters: parameters).asURLRequest()
    #expect(encoded.description == "http://a.example/?a=x%20y&b=1")
  }

  @Test("The modifier sees the request before the parameters are encoded")
  func order() throws {
    let spy = SpyEncoding()
    let convertible = RequestConvertible(
      url: "http://a.example/", method: .post, encoding: spy, headers: ["X": "1"],
      requestModifier: { request in
        #expect(request.headers == ["X": "1"])
        #expect(request.httpBody == nil)
        request.timeoutInterval = 5
      })
    _ = try convertible.asURLRequest()
    #expect(spy.seen.withLock { $0.map(\.timeoutInterval) } == [5])
  }

  @Test("The modifier runs at each attempt and may throw")
  func modifier() throws {
    struct Refusal: Error {}
    let calls = Mutex(0)
    let convertible = RequestConvertible(
      url: "http://a.example/",
      requestModifier: { _ in
        let call = calls.withLock { count in
          count += 1
          return count
        }
        if call == 3 { throw Refusal() }
      })
    _ = try convertible.asURLRequest()
    _ = try convertible.asURLRequest()
    #expect(throws: Refusal.self) { try convertible.asURLRequest() }
  }

  @Test func parametersOfAType() throws {
    struct Login: Encodable, Sendable {
      let name: String
    }
    let form = try RequestEncodableConvertible(url: "http://a.example/", method: .post, parameters: Login(name: "a b"))
      .asURLRequest()
    #expect(form.httpBody == Data("name=a%20b".utf8))
    let none = try RequestEncodableConvertible<Login>(url: "http://a.example/", method: .post, parameters: nil).asURLRequest()
    #expect(none.httpBody == nil)
    #expect(none.headers.isEmpty)
  }
}
