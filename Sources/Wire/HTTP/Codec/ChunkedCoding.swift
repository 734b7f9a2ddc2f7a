internal import TapelineBase

/// Reads the chunked coding (RFC 9112 7.1), strictly: hexadecimal sizes, CRLF, bounded extensions and trailers. Responses may
/// have blanks after a size: old servers fill the line with them, and every client passes over them.
///
/// It holds no content: it yields ranges of the input.
struct ChunkedDecoder: Sendable {
  private let part: HTTPParseError.Part
  private var state = State.size(0, digits: 0)

  enum Element {
    case content(Range<Int>)
    case trailers(HeaderFields)
    case end
  }

  /// The part that comes next.
  private enum State {
    case size(UInt64, digits: Int)
    case chunkExtension(size: UInt64, length: Int)
    case sizeBlanks(size: UInt64, length: Int)
    case sizeLineFeed(size: UInt64)
    case content(remaining: UInt64)
    case contentCarriageReturn
    case contentLineFeed
    /// The first byte after the last chunk.
    case trailersOrEnd
    case endLineFeed
    /// Apart, because trailers are rare and every connection has a decoder.
    indirect case trailers(ReceiveBuffer)
    case end
  }

  init(in part: HTTPParseError.Part) {
    self.part = part
  }

  /// The next element, or `nil` when `input` is used up.
  mutating func next(
    _ input: Span<UInt8>, from offset: inout Int, limits: HTTPLimits
  ) throws(HTTPParseError) -> Element? {
    while true {
      if case .end = state { return .end }
      guard offset < input.count else { return nil }
      switch state {
      case .content(let remaining):
        let size = Int(min(remaining, UInt64(input.count - offset)))
        let content = offset..<offset + size
        offset += size
        state = remaining == UInt64(size) ? .contentCarriageReturn : .content(remaining: remaining - UInt64(size))
        return .content(content)
      case .trailers(var buffer):
        guard let section = try buffer.receive(input, from: &offset, limits) else {
          state = .trailers(buffer)
          return nil
        }
        state = .end
        return .trailers(
          try HeadParser.trailers(
            section.readable(by: limits.tolerance), lineCount: section.lineCount, in: part, tolerating: limits.tolerance))
      case .size, .chunkExtension, .sizeBlanks, .sizeLineFeed, .contentCarriageReturn, .contentLineFeed, .trailersOrEnd,
        .endLineFeed:
        // The first byte of a trailer belongs to the buffer.
        if try receive(input[offset], limits) { offset += 1 }
      case .end:
        return .end
      }
    }
  }

  /// Reads one byte of the coding itself, and returns whether the byte was used.
  private mutating func receive(_ byte: UInt8, _ limits: HTTPLimits) throws(HTTPParseError) -> Bool {
    switch state {
    case .size(let size, let digits):
      state = try afterSizeByte(byte, size: size, digits: digits, limits)
    case .sizeBlanks(let size, let length):
      state = try afterSize(byte, size: size, length: length, limits)
    case .chunkExtension(let size, let length):
      state = try afterExtensionByte(byte, size: size, length: length, limits)
    case .sizeLineFeed(let size):
      guard byte == Byte.lineFeed else { throw error(.bareCarriageReturn) }
      state = Self.afterSizeLine(size: size)
    case .contentCarriageReturn where byte == Byte.lineFeed && limits.tolerance.contains(.bareLineFeed):
      state = .size(0, digits: 0)
    case .contentCarriageReturn:
      guard byte == Byte.carriageReturn else { throw error(.invalidChunkEnd) }
      state = .contentLineFeed
    case .contentLineFeed:
      guard byte == Byte.lineFeed else { throw error(.invalidChunkEnd) }
      state = .size(0, digits: 0)
    case .trailersOrEnd where byte == Byte.lineFeed && limits.tolerance.contains(.bareLineFeed):
      state = .end
    case .trailersOrEnd:
      guard byte == Byte.carriageReturn else {
        state = .trailers(ReceiveBuffer(.trailers(of: part)))
        return false
      }
      state = .endLineFeed
    case .endLineFeed:
      guard byte == Byte.lineFeed else { throw error(.bareCarriageReturn) }
      state = .end
    case .content, .trailers, .end:
      preconditionFailure("content, trailers and the end are not read byte by byte")
    }
    return true
  }

  private static func afterSizeLine(size: UInt64) -> State {
    size == 0 ? .trailersOrEnd : .content(remaining: size)
  }

  private func afterSizeByte(
    _ byte: UInt8, size: UInt64, digits: Int, _ limits: HTTPLimits
  ) throws(HTTPParseError) -> State {
    if let digit = Hexadecimal.value(of: byte) {
      // 15 digits keep the sum of the sizes far from overflow. More digits are refused even if they are zeros.
      guard digits < 15 else { throw error(.chunkSizeOverflow) }
      return .size(size << 4 | UInt64(digit), digits: digits + 1)
    }
    guard digits > 0 else { throw error(.invalidChunkSize) }
    return try afterSize(byte, size: size, length: 0, limits)
  }

  /// - Parameter length: how many blanks have come after the size.
  private func afterSize(_ byte: UInt8, size: UInt64, length: Int, _ limits: HTTPLimits) throws(HTTPParseError) -> State {
    switch byte {
    case Byte.carriageReturn: return .sizeLineFeed(size: size)
    case Byte.semicolon: return .chunkExtension(size: size, length: length + 1)
    case Byte.lineFeed: return try afterBareLineFeed(size: size, limits)
    case Byte.space where part == .response, Byte.tab where part == .response:
      guard length < limits.chunkExtension else { throw error(.chunkExtensionTooLong) }
      return .sizeBlanks(size: size, length: length + 1)
    default: throw error(.invalidChunkSize)
    }
  }

  private func afterBareLineFeed(size: UInt64, _ limits: HTTPLimits) throws(HTTPParseError) -> State {
    guard limits.tolerance.contains(.bareLineFeed) else { throw error(.bareLineFeed) }
    return Self.afterSizeLine(size: size)
  }

  private func afterExtensionByte(
    _ byte: UInt8, size: UInt64, length: Int, _ limits: HTTPLimits
  ) throws(HTTPParseError) -> State {
    switch byte {
    case Byte.carriageReturn: return .sizeLineFeed(size: size)
    case Byte.lineFeed: return try afterBareLineFeed(size: size, limits)
    case 0..<Byte.tab, Byte.lineFeed..<Byte.space, Byte.delete: throw error(.invalidChunkExtension)
    default: break
    }
    guard length < limits.chunkExtension else { throw error(.chunkExtensionTooLong) }
    return .chunkExtension(size: size, length: length + 1)
  }

  private func error(_ kind: HTTPParseError.Kind) -> HTTPParseError {
    HTTPParseError(kind, in: part)
  }
}

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
