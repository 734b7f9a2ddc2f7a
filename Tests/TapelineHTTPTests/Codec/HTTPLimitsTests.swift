import Testing

@testable import TapelineHTTP

@Suite struct HTTPLimitsTests {
  @Test func theDefaultsAreTheDocumentedOnes() {
    let limits = HTTPLimits()
    #expect(limits.requestLine == 16_384)
    #expect(limits.statusLine == 16_384)
    #expect(limits.headerBlock == 65_536)
    #expect(limits.fields == 200)
    #expect(limits.chunkExtension == 1024)
    #expect(limits.trailers == 16_384)
    #expect(limits.informationalResponses == 100)
  }
}
