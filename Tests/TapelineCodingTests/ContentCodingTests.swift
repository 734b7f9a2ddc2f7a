import TapelineHTTP
import Testing

@testable import TapelineCoding

struct ContentCodingTests {
  @Test(
    arguments: [
      (["gzip"], [.gzip]), (["GZip ,br"], [.gzip, .brotli]), (["x-gzip", "identity, zstd"], [.gzip, .zstandard]), ([","], []),
      (["deflate"], [.deflate]), ([], []),
    ] as [([String], [ContentCoding])])
  func inTheOrderOfApplication(lines: [String], codings: [ContentCoding]) throws {
    #expect(try ContentCoding.list(in: HeaderFields(lines.map { ("Content-Encoding", $0) })) == codings)
  }

  @Test func whatNobodyKnowsIsSaid() {
    #expect(throws: DecodingError.unknownCoding) { try ContentCoding.list(in: ["Content-Encoding": "gzip, compress"]) }
    #expect(throws: DecodingError.tooManyCodings) { try ContentCoding.list(in: ["Content-Encoding": "br,br,br,br,br"]) }
  }
}
