internal import TapelineHTTP

/// The chunked coding: it yields no more bytes than came, both directions read it the same, and it can be written again.
enum ChunkedOracle {
  private static let requestHead = Array("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
  private static let responseHead = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)

  static func check(_ input: [UInt8]) throws(OracleViolation) {
    let request = try ConnectionTranscript.agreed(on: requestHead + input, role: .server).firstMessage
    let response = try ConnectionTranscript.agreed(on: responseHead + input, role: .client).firstMessage
    try OracleViolation.requireEqual(request, response, "requests and responses have one chunked coding")
    try OracleViolation.require(request.content.count <= input.count, "there is no more content than bytes")
    if request.isComplete { try checkEncoding(of: request.content, trailers: request.trailers) }
    try checkEncoding(of: input, trailers: nil)
  }

  /// Content is the same after encoding and decoding, in one chunk and in two.
  private static func checkEncoding(of content: [UInt8], trailers: HeaderFields?) throws(OracleViolation) {
    for segmentation in [.whole, Segmentation.halves(content.count / 3)] {
      var output = requestHead
      for range in segmentation.pieces(of: content.count) where !range.isEmpty {
        ChunkedEncoder.appendChunkHeader(size: range.count, into: &output)
        output += content[range]
        ChunkedEncoder.appendChunkEnd(into: &output)
      }
      ChunkedEncoder.appendLastChunk(trailers: trailers, into: &output)
      let decoded = try ConnectionTranscript(of: output, role: .server).firstMessage
      try OracleViolation.require(decoded.isComplete, "what is encoded is complete")
      try OracleViolation.requireEqual(decoded.content, content, "what is encoded is decoded to the same")
      try checkTrailers(decoded.trailers ?? HeaderFields(), from: trailers ?? HeaderFields())
    }
  }

  /// RFC 9110 6.5.1: trailers for framing or routing are not forwarded.
  private static func checkTrailers(_ sent: HeaderFields, from trailers: HeaderFields) throws(OracleViolation) {
    let hopByHop = HopByHopFields(of: trailers)
    let expected = EndToEndFields(of: trailers) {
      let name = trailers.knownName(at: $0)
      return name == .contentLength || name == .transferEncoding || name == .host || hopByHop.removes(trailers, at: $0)
    }
    try OracleViolation.requireEqual(EndToEndFields(of: sent) { _ in false }, expected, "trailers are sent on")
  }
}
