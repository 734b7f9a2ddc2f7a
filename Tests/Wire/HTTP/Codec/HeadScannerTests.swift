import Testing

@testable import TapelineHTTP

@Suite struct HeadScannerTests {
  private func end(_ text: String, _ section: HeadScanner.Section = .request) throws -> Int? {
    var scanner = HeadScanner(section)
    return try scanner.scan(Array(text.utf8).span, from: 0, .standard)
  }

  @Test func aHeadEndsWithAnEmptyLine() throws {
    #expect(try end("GET / HTTP/1.1\r\nA: b\r\n\r\nrest") == 24)
    #expect(try end("GET / HTTP/1.1\r\n\r\n") == 18)
    #expect(try end("GET / HTTP/1.1\n\n") == 16)
    #expect(try end("GET / HTTP/1.1\n\r\n") == 17)
    #expect(try end("GET / HTTP/1.1\r\nA: b\r\n") == nil)
    #expect(try end("\r\nGET") == 2)
  }

  @Test func aTrailerSectionHasNoStartLine() throws {
    #expect(try end("\r\nrest", .trailers(of: .request)) == 2)
    #expect(try end("A: 1\r\n\r\nrest", .trailers(of: .request)) == 8)
  }

  @Test func linesAreCounted() throws {
    var scanner = HeadScanner(.request)
    _ = try scanner.scan(Array("GET / HTTP/1.1\r\nA: b\r\n\r\n".utf8).span, from: 0, .standard)
    #expect(scanner.lineCount == 3)
  }

  @Test func aSlowDripIsScannedOnce() throws {
    // The scanner is given each byte alone and never sees it again: the cost is linear by construction, and the end is found.
    let bytes = Array("GET / HTTP/1.1\r\nA: \(String(repeating: "x", count: 10_000))\r\n\r\n".utf8)
    var scanner = HeadScanner(.request)
    for byte in bytes.dropLast() { #expect(try scanner.scan([byte].span, from: 0, .standard) == nil) }
    #expect(try scanner.scan([0x0A].span, from: 0, .standard) == 1)
  }

  @Test func aCarriageReturnAloneOnALineIsRefusedAtOnce() {
    #expect(throws: HTTPParseError(.bareCarriageReturn, in: .request)) { try end("GET / HTTP/1.1\r\n\rX") }
  }
}
