import TapelineHTTP
import Testing

@testable import TapelineCoding

struct ContentCodingTests {
  @Test(
    arguments: [
      (["gzip"], [.gzip]), (["GZip ,br"], [.gzip, .brotli]), (["x-gzip", "identity, zstd"], [.gzip, .zstandard]), ([","], []),
      (["deflate"], [.deflate]), ([], []), (["utf-8", "none"], []), (["gzip, binary"], [.gzip]), (["aws-chunked"], [.awsChunked]),
      (["aws-chunked, gzip"], [.gzip, .awsChunked]), (["gzip", "aws-chunked"], [.gzip, .awsChunked]),
    ] as [([String], [ContentCoding])])
  func inTheOrderOfApplication(lines: [String], codings: [ContentCoding]) throws {
    #expect(try ContentCoding.list(in: HeaderFields(lines.map { ("Content-Encoding", $0) })) == codings)
  }

  @Test(
    arguments: [
      ("foo, gzip", [.gzip], .unknownCoding), ("gzip, foo", [], .unknownCoding), ("foo", [], .unknownCoding),
      ("deflate, gzip, gzip, gzip, br", [.gzip, .gzip, .gzip, .brotli], .tooManyCodings), ("gzip", [.gzip], nil),
    ] as [(String, [ContentCoding], DecodingError?)])
  func whatCanBeUndone(line: String, codings: [ContentCoding], problem: DecodingError?) {
    let found = ContentCoding.outermost(in: ["Content-Encoding": line])
    #expect(found.codings == codings)
    #expect(found.problem == problem)
  }

  @Test func whatNobodyKnowsIsSaid() {
    #expect(throws: DecodingError.unknownCoding) { try ContentCoding.list(in: ["Content-Encoding": "gzip, compress"]) }
    #expect(throws: DecodingError.tooManyCodings) { try ContentCoding.list(in: ["Content-Encoding": "br,br,br,br,br"]) }
  }
}
