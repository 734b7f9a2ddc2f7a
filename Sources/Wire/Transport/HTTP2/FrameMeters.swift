internal import TapelineHTTP2
internal import TapelineTime

/// The frames between us and the kernel, as a value: tells when each stream's first and last frames were taken, and how many
/// bytes.
struct SentFrames {
  enum Progress: Hashable {
    /// The kernel took the first byte of the stream's head, at once or when there was room again.
    case began(HTTP2StreamID, hasWaited: Bool)
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

  /// The frames before `head` have been reported.
  private var frames: [Frame] = []
  private var head = 0
  private var queued = UInt64(HTTP2FrameReader.prefaceSize)
  private var written: UInt64 = 0
  /// The end of the bytes that a write before this one offered the kernel: it had no room for those that it did not take.
  private var offered: UInt64 = 0
  /// The header block that is not complete ends its stream.
  private var blockEndsStream = false
  private var needsPreface = true

  /// Whole frames went into the output; before the first of them, the preface.
  mutating func append(_ output: Span<UInt8>) {
    var offset = 0
    if needsPreface, !output.isEmpty {
      needsPreface = false
      offset = HTTP2FrameReader.prefaceSize
    }
    while offset < output.count {
      let header = HTTP2FrameHeader(output.extracting(droppingFirst: offset))
      let size = HTTP2FrameHeader.size + header.length
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
    guard head < frames.count else {
      offered = queued
      return nil
    }
    let frame = frames[head]
    if frame.isNews, written > frame.start {
      frames[head].isNews = false
      return .began(frame.stream, hasWaited: frame.start < offered)
    }
    guard written >= frame.end else {
      offered = queued
      return nil
    }
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

  private var reader = HTTP2FrameReader(expectsPreface: false)
  /// When the first byte of the last frame came.
  private var began = MonotonicInstant(nanoseconds: 0)
  private var stream: HTTP2StreamID = 0

  /// The next piece of `input`; `nil` when all of it is used up. Moves `offset` past the piece.
  mutating func next(_ input: Span<UInt8>, from offset: inout Int, at instant: MonotonicInstant) -> Piece? {
    if reader.isBetweenFrames { began = instant }
    switch reader.next(input, from: &offset) {
    case .frame(let header, let range): return piece(header, bytes: range.count)
    case .header(let header): return piece(header, bytes: HTTP2FrameHeader.size)
    case .payload(let range): return Piece(stream: stream, bytes: range.count, headBegan: nil)
    case .preface: preconditionFailure("a server sends no preface that is not a frame")
    case nil: return nil
    }
  }

  private mutating func piece(_ header: HTTP2FrameHeader, bytes: Int) -> Piece {
    stream = header.stream
    return Piece(stream: stream, bytes: bytes, headBegan: header.isHeaders ? began : nil)
  }
}
