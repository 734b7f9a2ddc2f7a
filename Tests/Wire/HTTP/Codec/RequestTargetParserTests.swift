import Testing

@testable import TapelineHTTP

/// The forms themselves are under test in `RequestTargetTests`; here, that the form must be the method's.
@Suite struct RequestTargetParserTests {
  private func form(_ target: String, method: HTTPMethod) -> String {
    do {
      switch try RequestTargetParser.parse(Array(target.utf8), 0..<target.utf8.count, method: method) {
      case .origin: return "origin"
      case .absolute: return "absolute"
      case .authority: return "authority"
      case .asterisk: return "asterisk"
      }
    } catch {
      return error.kind.rawValue
    }
  }

  @Test func theFormIsTheMethods() {
    #expect(form("/", method: .get) == "origin")
    #expect(form("http://a/", method: .get) == "absolute")
    #expect(form("ws://a/", method: .get) == "absolute")
    #expect(form("*", method: .options) == "asterisk")
    #expect(form("/", method: .options) == "origin")
    #expect(form("a:1", method: .connect) == "authority")
    #expect(form("*", method: .get) == "invalid-target")
    #expect(form("a:1", method: .get) == "invalid-target")
    #expect(form("/", method: .connect) == "invalid-target")
    #expect(form("**", method: .options) == "invalid-target")
  }
}
