/// The nine bytes before each frame (RFC 9113 4.1).
package struct HTTP2FrameHeader: Hashable, Sendable {
  package let length: Int
  let type: UInt8
  let flags: UInt8
  package let stream: HTTP2StreamID

  package static let size = 9
  /// We allow no longer payload (RFC 9113 4.2).
  static let largestLength = 16_384

  /// RFC 9113 6, and RFC 9218 7.1 for the last.
  static let data: UInt8 = 0x0
  static let headers: UInt8 = 0x1
  static let priority: UInt8 = 0x2
  static let resetStream: UInt8 = 0x3
  static let settings: UInt8 = 0x4
  static let pushPromise: UInt8 = 0x5
  static let ping: UInt8 = 0x6
  static let goAway: UInt8 = 0x7
  static let windowUpdate: UInt8 = 0x8
  static let continuation: UInt8 = 0x9
  static let priorityUpdate: UInt8 = 0x10

  static let endStreamFlag: UInt8 = 0x1
  static let acknowledgementFlag: UInt8 = 0x1
  static let endHeadersFlag: UInt8 = 0x4

  /// Whether a header block begins.
  package var isHeaders: Bool { type == Self.headers }
  /// DATA, or the first frame of a header block.
  package var endsStream: Bool { type <= Self.headers && flags & Self.endStreamFlag != 0 }
  /// Whether a header block goes on in the next frame.
  package var isContinued: Bool {
    (type == Self.headers || type == Self.continuation) && flags & Self.endHeadersFlag == 0
  }
  var isAcknowledgement: Bool { flags & Self.acknowledgementFlag != 0 }

  init(length: Int, type: UInt8, flags: UInt8, stream: HTTP2StreamID) {
    self.length = length
    self.type = type
    self.flags = flags
    self.stream = stream
  }

  /// `bytes` begin with a frame header.
  package init(_ bytes: Span<UInt8>) {
    length = Int(bytes[0]) << 16 | Int(bytes[1]) << 8 | Int(bytes[2])
    type = bytes[3]
    flags = bytes[4]
    stream = Int32(bytes[5] & 0x7F) << 24 | Int32(bytes[6]) << 16 | Int32(bytes[7]) << 8 | Int32(bytes[8])
  }
}

/// Finds the borders of frames in received bytes, so that each frame can be counted before nghttp2 sees it, and passes nghttp2
/// one frame at a time. It looks at no payload.
package struct HTTP2FrameReader: Sendable {
  package enum Piece: Hashable {
    /// A part of the client's connection preface (RFC 9113 3.4).
    case preface(Range<Int>)
    /// A frame's header, and as much of its payload as has come with it.
    case frame(HTTP2FrameHeader, Range<Int>)
    /// The same header, which came in parts; its bytes are in `headerBytes`.
    case header(HTTP2FrameHeader)
    /// A further part of the payload of the last frame.
    case payload(Range<Int>)
  }

  private var prefaceLeft: Int
  private(set) var headerBytes: [UInt8] = []
  private var isHeaderTaken = false
  private var payloadLeft = 0

  /// The client's connection preface, which is no frame (RFC 9113 3.4).
  package static let prefaceSize = 24

  package init(expectsPreface: Bool) {
    prefaceLeft = expectsPreface ? Self.prefaceSize : 0
    headerBytes.reserveCapacity(HTTP2FrameHeader.size)
  }

  /// Whether no byte of the next frame has come.
  package var isBetweenFrames: Bool { payloadLeft == 0 && (headerBytes.isEmpty || isHeaderTaken) }

  /// The next piece of `input`, or `nil` when all of it is used up. Moves `offset` past the piece.
  package mutating func next(_ input: Span<UInt8>, from offset: inout Int) -> Piece? {
    guard offset < input.count else { return nil }
    if prefaceLeft > 0 {
      return .preface(Self.take(&prefaceLeft, of: input, from: &offset))
    }
    if payloadLeft > 0 {
      return .payload(Self.take(&payloadLeft, of: input, from: &offset))
    }
    if isHeaderTaken {
      headerBytes.removeAll(keepingCapacity: true)
      isHeaderTaken = false
    }
    if headerBytes.isEmpty, input.count - offset >= HTTP2FrameHeader.size {
      let start = offset
      let header = HTTP2FrameHeader(input.extracting(droppingFirst: start))
      offset += HTTP2FrameHeader.size
      payloadLeft = header.length
      return .frame(header, start..<Self.take(&payloadLeft, of: input, from: &offset).upperBound)
    }
    while offset < input.count, headerBytes.count < HTTP2FrameHeader.size {
      headerBytes.append(input[offset])
      offset += 1
    }
    guard headerBytes.count == HTTP2FrameHeader.size else { return nil }
    isHeaderTaken = true
    let header = HTTP2FrameHeader(headerBytes.span)
    payloadLeft = header.length
    return .header(header)
  }

  private static func take(_ left: inout Int, of input: Span<UInt8>, from offset: inout Int) -> Range<Int> {
    let range = offset..<offset + min(left, input.count - offset)
    left -= range.count
    offset = range.upperBound
    return range
  }
}
