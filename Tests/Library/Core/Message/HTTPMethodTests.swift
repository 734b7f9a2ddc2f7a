import TapelineCore
import Testing

@Suite struct HTTPMethodTests {
  @Test("A method is its raw value, and custom methods are allowed")
  func equality() {
    #expect(HTTPMethod(rawValue: "GET") == .get)
    #expect(HTTPMethod(rawValue: "get") != .get)
    #expect(Set([HTTPMethod.get, HTTPMethod(rawValue: "GET"), HTTPMethod(rawValue: "PURGE")]).count == 2)
    #expect(HTTPMethod.connect.rawValue == "CONNECT")
  }

  @Test("The standard methods have names")
  func standardMethods() {
    let methods: [HTTPMethod] = [.connect, .delete, .get, .head, .options, .patch, .post, .put, .query, .trace]
    #expect(
      methods.map(\.rawValue) == ["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE"])
  }
}
