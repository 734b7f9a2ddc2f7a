import Testing

@testable import TapelineHTTP

/// Which values are refused, and for what, is under test in `BodyFramingTests`.
@Suite struct TransferEncodingTests {
  @Test func noOtherCodingIsTakenForChunked() {
    for coding in ["gzip", "x-gzip", "deflate", "compress", "X-Compress"] {
      #expect(throws: HTTPParseError(.unchunkedTransferEncoding, in: .response)) {
        try TransferEncoding.requireChunkedAlone(["Transfer-Encoding": coding], in: .response)
      }
    }
  }

  @Test func chunkedAlonePasses() throws {
    try TransferEncoding.requireChunkedAlone(["Transfer-Encoding": "Chunked"], in: .request)
  }
}
