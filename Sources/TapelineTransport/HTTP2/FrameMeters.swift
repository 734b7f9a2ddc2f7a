internal import TapelineHTTP2
internal import TapelineTime

/// What a frame's header tells of its place in an exchange (RFC 9113 4.1).
private struct FrameHeader {
  static let size = 9
  private static let headers: UInt8 = 0x1
  private static let continuation: UInt8 = 0x9

  let length: Int
  let stream: HTTP2StreamID
  private let type: UInt8
  private let flags: UInt8

  /// `bytes` begin with a frame header.
  init(_ bytes: Span<UInt8>) {
    length = Int(bytes[0]) << 16 | Int(bytes[1]) << 8 | Int(bytes[2])
    type = bytes[3]
    flags = bytes[4]
    stream = Int32(bytes[5] & 0x7F) << 24 | Int32(bytes[6]) << 16 | Int32(bytes[7]) << 8 | Int32(bytes[8])
  }

  var isHeaders: Bool { type == Self.headers }

  /// DATA, or the first frame of a header block.
  var endsStream: Bool { type <= Self.headers && flags & 0x1 != 0 }

  /// Whether a header block goes on in the next frame.
  var isContinued: Bool { (type == Self.headers || type == Self.continuation) && flags & 0x4 == 0 }
}

/// The frames between us and the kernel, as a value: tells when each stream's first and last frames were taken, and how many
/// bytes.
struct SentFrames {
  enum Progress: Hashable {
    /// The kernel took the first byte of the stream's head.
    case began(HTTP2StreamID)
    /// The kernel took a whole frame of the stream.
    case left(HTTP2StreamID, bytes: Int, endsStream: Bool)
  }

  private struct Frame {
    let start: UInt64
    let end: UInt64
    let stream: HTTP2StreamID
    /// It opens the stream, and nobody was told yet.
    var isNews: Bool
    let endsStream: Bool
  }

  /// The client's connection preface, which is no frame (RFC 9113 3.4).
  private static let prefaceSize = 24

  /// The frames before `head` have been reported.
  private var frames: [Frame] = []
  private var head = 0
  private var queued = UInt64(Self.prefaceSize)
  private var written: UInt64 = 0
  /// The header block that is not complete ends its stream.
  private var blockEndsStream = false
  private var needsPreface = true

  /// Whole frames went into the output; before the first of them, the preface.
  mutating func append(_ output: Span<UInt8>) {
    var offset = 0
    if needsPreface, !output.isEmpty {
      needsPreface = false
      offset = Self.prefaceSize
    }
    while offset < output.count {
      let header = FrameHeader(output.extracting(droppingFirst: offset))
      let size = FrameHeader.size + header.length
      let ends = header.endsStream || blockEndsStream
      blockEndsStream = header.isContinued && ends
      frames.append(
        Frame(
          start: queued, end: queued + UInt64(size), stream: header.stream, isNews: header.isHeaders,
          endsStream: ends && !header.isContinued))
      queued += UInt64(size)
      offset += size
    }
    precondition(offset == output.count, "frames go into the output whole")
  }

  /// The kernel took `count` more bytes. What that means comes from `next`.
  mutating func didWrite(_ count: Int) {
    written += UInt64(count)
  }

  /// The next thing that has happened; `nil` if nothing has.
  mutating func next() -> Progress? {
    guard head < frames.count else { return nil }
    let frame = frames[head]
    if frame.isNews, written > frame.start {
      frames[head].isNews = false
      return .began(frame.stream)
    }
    guard written >= frame.end else { return nil }
    head += 1
    if head == frames.count {
      frames.removeAll(keepingCapacity: true)
      head = 0
    } else if head > 64, head > frames.count / 2 {
      // A connection that always has output must not keep what has left. Constant time on average.
      frames.removeFirst(head)
      head = 0
    }
    return .left(frame.stream, bytes: Int(frame.end - frame.start), endsStream: frame.endsStream)
  }
}

/// The frames that come, as a value: which stream the bytes belong to, and when a header block began.
struct ReceivedFrames {
  /// A part of a frame on a stream.
  struct Piece: Hashable {
    let stream: HTTP2StreamID
    /// The frame's header included.
    let bytes: Int
    /// When the first byte of the frame came, if the piece completes the header of a HEADERS frame.
    let headBegan: MonotonicInstant?
  }

  private var headerBytes: [UInt8] = []
  private var began = MonotonicInstant(nanoseconds: 0)
  private var stream: HTTP2StreamID = 0
  private var payloadLeft = 0

  init() {
    headerBytes.reserveCapacity(FrameHeader.size)
  }

  /// The next piece of `input`; `nil` when all of it is used up. Moves `offset` past the piece.
  mutating func next(_ input: Span<UInt8>, from offset: inout Int, at instant: MonotonicInstant) -> Piece? {
    guard offset < input.count else { return nil }
    if payloadLeft > 0 {
      return Piece(stream: stream, bytes: takePayload(of: input, from: &offset), headBegan: nil)
    }
    if headerBytes.isEmpty { began = instant }
    guard let header = takeHeader(of: input, from: &offset) else { return nil }
    stream = header.stream
    payloadLeft = header.length
    return Piece(
      stream: stream, bytes: FrameHeader.size + takePayload(of: input, from: &offset),
      headBegan: header.isHeaders ? began : nil)
  }

  /// `nil` if the rest of it has not come.
  private mutating func takeHeader(of input: Span<UInt8>, from offset: inout Int) -> FrameHeader? {
    if headerBytes.isEmpty, input.count - offset >= FrameHeader.size {
      defer { offset += FrameHeader.size }
      return FrameHeader(input.extracting(droppingFirst: offset))
    }
    while offset < input.count, headerBytes.count < FrameHeader.size {
      headerBytes.append(input[offset])
      offset += 1
    }
    guard headerBytes.count == FrameHeader.size else { return nil }
    defer { headerBytes.removeAll(keepingCapacity: true) }
    return FrameHeader(headerBytes.span)
  }

  private mutating func takePayload(of input: Span<UInt8>, from offset: inout Int) -> Int {
    let count = min(payloadLeft, input.count - offset)
    payloadLeft -= count
    offset += count
    return count
  }
}
