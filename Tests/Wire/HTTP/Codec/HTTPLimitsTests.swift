import Testing

@testable import TapelineHTTP

@Suite struct HTTPLimitsTests {
  @Test func theDefaultsAreTheDocumentedOnes() {
    let limits = HTTPLimits()
    #expect(limits.headerBlock == 1_048_576)
    #expect(limits.fields == 10_000)
    #expect(limits.tolerance == [])
  }

  @Test("One option bounds the head and every other line")
  func oneBound() {
    let limits = HTTPLimits(headerBlock: 4096)
    #expect([limits.requestLine, limits.statusLine, limits.chunkExtension] == [4096, 4096, 4096])
    #expect([limits.trailers, limits.informationalResponses] == [4096, 4096])
  }
}
