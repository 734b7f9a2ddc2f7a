import Testing

@testable import TapelineHTTP

@Suite struct PersistenceTests {
  @Test func theVersionDecidesUnlessConnectionDoes() {
    #expect(Persistence.isAllowed(by: [:], version: .http11))
    #expect(!Persistence.isAllowed(by: [:], version: .http10))
    #expect(Persistence.isAllowed(by: ["Connection": "Keep-Alive"], version: .http10))
    #expect(!Persistence.isAllowed(by: ["Connection": "x", "connection": "y, CLOSE"], version: .http11))
    #expect(!Persistence.isAllowed(by: ["Connection": "keep-alive, close"], version: .http10))
    #expect(Persistence.isAllowed(by: ["Proxy-Connection": "close"], version: .http11))
    #expect(!Persistence.isAllowed(by: ["Proxy-Connection": "keep-alive"], version: .http10))
  }
}
