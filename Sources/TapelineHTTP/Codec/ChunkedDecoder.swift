internal import TapelineText

/// Reads the chunked coding (RFC 9112 7.1), strictly: hexadecimal sizes, CRLF, bounded extensions and trailers.
///
/// It holds no content: it yields ranges of the input.
struct ChunkedDecoder: Sendable {
  private let part: HTTPParseError.Part
  private let limits: HTTPLimits
  private var state = State.size(0, digits: 0)

  enum Element {
    case content(Range<Int>)
    case trailers(HeaderFields)
    case end
  }

  /// What comes next.
  private enum State {
    case size(UInt64, digits: Int)
    case chunkExtension(size: UInt64, length: Int)
    case sizeLineFeed(size: UInt64)
    case content(remaining: UInt64)
    case contentCarriageReturn
    case contentLineFeed
    /// The first byte after the last chunk.
    case trailersOrEnd
    case endLineFeed
    case trailers(ReceiveBuffer)
    case end
  }

  init(in part: HTTPParseError.Part, limits: HTTPLimits) {
    self.part = part
    self.limits = limits
  }

  /// The next element, or `nil` when `input` is used up.
  mutating func next(_ input: Span<UInt8>, from offset: inout Int) throws(HTTPParseError) -> Element? {
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
        guard let section = try buffer.receive(input, from: &offset) else {
          state = .trailers(buffer)
          return nil
        }
        state = .end
        return .trailers(try HeadParser.trailers(section.bytes, lineCount: section.lineCount, in: part))
      case .size, .chunkExtension, .sizeLineFeed, .contentCarriageReturn, .contentLineFeed, .trailersOrEnd, .endLineFeed:
        // The first byte of a trailer belongs to the buffer.
        if try receive(input[offset]) { offset += 1 }
      case .end:
        return .end
      }
    }
  }

  /// Reads one byte of the coding itself, and returns whether the byte was used.
  private mutating func receive(_ byte: UInt8) throws(HTTPParseError) -> Bool {
    switch state {
    case .size(let size, let digits):
      state = try afterSizeByte(byte, size: size, digits: digits)
    case .chunkExtension(let size, let length):
      state = try afterExtensionByte(byte, size: size, length: length)
    case .sizeLineFeed(let size):
      guard byte == Byte.lineFeed else { throw error(.bareCarriageReturn) }
      state = size == 0 ? .trailersOrEnd : .content(remaining: size)
    case .contentCarriageReturn:
      guard byte == Byte.carriageReturn else { throw error(.invalidChunkEnd) }
      state = .contentLineFeed
    case .contentLineFeed:
      guard byte == Byte.lineFeed else { throw error(.invalidChunkEnd) }
      state = .size(0, digits: 0)
    case .trailersOrEnd:
      guard byte == Byte.carriageReturn else {
        state = .trailers(ReceiveBuffer(.trailers(of: part), limits: limits))
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

  private func afterSizeByte(_ byte: UInt8, size: UInt64, digits: Int) throws(HTTPParseError) -> State {
    if let digit = Hexadecimal.value(of: byte) {
      // 15 digits keep the sum of the sizes far from overflow. More digits are refused even if they are zeros.
      guard digits < 15 else { throw error(.chunkSizeOverflow) }
      return .size(size << 4 | UInt64(digit), digits: digits + 1)
    }
    guard digits > 0 else { throw error(.invalidChunkSize) }
    switch byte {
    case Byte.carriageReturn: return .sizeLineFeed(size: size)
    case Byte.semicolon: return .chunkExtension(size: size, length: 1)
    case Byte.lineFeed: throw error(.bareLineFeed)
    default: throw error(.invalidChunkSize)
    }
  }

  private func afterExtensionByte(_ byte: UInt8, size: UInt64, length: Int) throws(HTTPParseError) -> State {
    switch byte {
    case Byte.carriageReturn: return .sizeLineFeed(size: size)
    case Byte.lineFeed: throw error(.bareLineFeed)
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
