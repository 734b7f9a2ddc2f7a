internal import TapelineText

/// Writes the chunked coding (RFC 9112 7.1). The caller sends each chunk's bytes between its header and its end.
package enum ChunkedEncoder {
  /// The size line of a chunk of `size` bytes. A chunk of size 0 would end the content.
  package static func appendChunkHeader(size: Int, into output: inout [UInt8]) {
    precondition(size > 0, "an empty chunk is the last one")
    let digits = (UInt64.bitWidth - UInt64(size).leadingZeroBitCount + 3) / 4
    for place in stride(from: digits - 1, through: 0, by: -1) {
      let digit = UInt8(truncatingIfNeeded: size >> (place * 4)) & 0xF
      output.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
    appendLineEnd(into: &output)
  }

  /// The bytes that follow a chunk's content.
  package static func appendChunkEnd(into output: inout [UInt8]) {
    appendLineEnd(into: &output)
  }

  /// The last chunk, the trailer fields, and the empty line.
  ///
  /// Drops the trailers that say how the message is framed or routed, and those that `hopByHop`, made from the head of the same
  /// message, removes (RFC 9110 6.5.1).
  package static func appendLastChunk(
    trailers: HeaderFields? = nil, without hopByHop: HopByHopFields? = nil, into output: inout [UInt8]
  ) {
    output.append(UInt8(ascii: "0"))
    appendLineEnd(into: &output)
    if let trailers {
      let always = HopByHopFields(of: trailers)
      for index in trailers.indices where !always.removesTrailer(trailers, at: index) {
        if hopByHop?.removes(trailers, at: index) == true { continue }
        HeadSerializer.appendField(trailers, at: index, into: &output)
      }
    }
    appendLineEnd(into: &output)
  }

  private static func appendLineEnd(into output: inout [UInt8]) {
    output.append(Byte.carriageReturn)
    output.append(Byte.lineFeed)
  }
}
