import TapelineCore
import Testing

@Suite struct URLRequestConvertibleTests {
  private struct Refusing: URLRequestConvertible {
    struct Refusal: Error {}

    func asURLRequest() throws -> URLRequest { throw Refusal() }
  }

  @Test("urlRequest is nil if asURLRequest throws")
  func withoutThrowing() throws {
    #expect(Refusing().urlRequest == nil)
    #expect(throws: Refusing.Refusal.self) { try Refusing().asURLRequest() }
    let request = try URLRequest(url: "http://a.example/", method: .get)
    #expect(request.urlRequest == request)
  }
}
