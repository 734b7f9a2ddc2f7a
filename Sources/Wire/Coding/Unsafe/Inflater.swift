internal import CCompression

/// zlib's decompressor, which is reused.
///
/// Owned by one thread.
@safe
package final class Inflater {
  /// Owned. zlib keeps a pointer back to it, so it must not move.
  private let stream: UnsafeMutablePointer<z_stream>
  /// Owned: zlib puts a piece of output here.
  private let piece: UnsafeMutablePointer<UInt8>

  private static let pieceSize = 32 << 10

  /// The format around the compressed bytes; the raw value is zlib's `windowBits` with the largest window.
  private enum Format: Int32 {
    case raw = -15
    case zlib = 15
    case gzip = 31
  }

  /// - Parameter windowBits: the largest window that raw data may need, as its binary logarithm.
  package init(windowBits: Int32 = 15) {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    unsafe piece = .allocate(capacity: Self.pieceSize)
    // zlib refuses windows of 2^8 bytes in raw data; a larger window reads such data as well.
    let code = unsafe inflateInit2_(stream, -max(windowBits, 9), zlibVersion(), Int32(MemoryLayout<z_stream>.size))
    precondition(code == Z_OK, "zlib starts with valid parameters unless there is no memory")
  }

  deinit {
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
    unsafe piece.deallocate()
  }

  /// Several members may follow each other (RFC 1952, 2.2); bytes after them that are not a member are skipped.
  func decodeGzip(_ input: Span<UInt8>, limit: Int, cuts: [Int] = []) -> DecodingStep {
    var step = DecodingStep()
    var rest = 0
    repeat {
      reset(to: .gzip)
      rest = inflate(input, from: rest, limit: limit, cuts: cuts, into: &step)
    } while step.end == .complete && input.count - rest >= 2 && input[rest] == 0x1F && input[rest + 1] == 0x8B
    return step
  }

  /// The header of the zlib format tells the two kinds apart (RFC 1950, 2.2).
  func decodeDeflate(_ input: Span<UInt8>, limit: Int, cuts: [Int] = []) -> DecodingStep {
    let isZlib = input.count >= 2 && input[0] & 0xF == 8 && (Int(input[0]) << 8 | Int(input[1])) % 31 == 0
    var step = DecodingStep()
    reset(to: isZlib ? .zlib : .raw)
    _ = inflate(input, from: 0, limit: limit, cuts: cuts, into: &step)
    return step
  }

  /// Decodes from `start` on, with a note of the output at each cut that comes, and returns up to where.
  private func inflate(
    _ input: Span<UInt8>, from start: Int, limit: Int, cuts: [Int], into step: inout DecodingStep
  ) -> Int {
    var place = start
    for cut in cuts.dropFirst(step.ends.count) where cut < input.count {
      place += inflate(input.extracting(place..<max(place, cut)), limit: limit, into: &step)
      guard step.end == .inputEnded else { return place }
      step.ends.append(step.bytes.count)
    }
    return place + inflate(input.extracting(place..<input.count), limit: limit, into: &step)
  }

  /// Begins a gzip member, for `fill`.
  func beginGzip() {
    reset(to: .gzip)
  }

  /// Decodes `input` into `room` from `start` on, until either is used up.
  func fill(_ room: inout [UInt8], from start: Int, with input: Span<UInt8>) -> FillingStep {
    var step = FillingStep()
    unsafe input.withUnsafeBufferPointer { input in
      unsafe room.withUnsafeMutableBufferPointer { room in
        let free = room.count - start
        unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        unsafe stream.pointee.avail_in = UInt32(clamping: input.count)
        unsafe stream.pointee.next_out = room.baseAddress.map { unsafe $0 + start }
        unsafe stream.pointee.avail_out = UInt32(clamping: free)
        let code = unsafe CCompression.inflate(stream, Z_NO_FLUSH)
        step.taken = unsafe min(input.count, Int(UInt32.max)) - Int(stream.pointee.avail_in)
        step.made = unsafe min(free, Int(UInt32.max)) - Int(stream.pointee.avail_out)
        unsafe step.end = end(code)
        unsafe stream.pointee.next_in = nil
        unsafe stream.pointee.avail_in = 0
      }
    }
    return step
  }

  /// One message of a permessage-deflate connection (RFC 7692, 7.2.2): the window carries over from message to message.
  package func inflateMessage(_ input: Span<UInt8>, limit: Int) -> DecodingStep {
    var step = DecodingStep()
    _ = inflate(input, limit: limit, into: &step)
    guard step.end == .inputEnded else { return step }
    let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]
    _ = inflate(tail.span, limit: limit, into: &step)
    // The end of a message is not the end of the stream.
    if step.end == .inputEnded { step.end = .complete }
    return step
  }

  /// Forgets the window: the next message starts anew.
  package func resetWindow() {
    unsafe inflateReset(stream)
  }

  private func reset(to format: Format) {
    let code = unsafe inflateReset2(stream, format.rawValue)
    precondition(code == Z_OK, "zlib can be reset to any of the three formats")
  }

  /// Adds the decoded `input` to the output, and returns how many bytes of `input` were taken.
  private func inflate(_ input: Span<UInt8>, limit: Int, into step: inout DecodingStep) -> Int {
    unsafe input.withUnsafeBufferPointer { bytes in
      // zlib takes a pointer to mutable bytes but does not change them.
      unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
      unsafe stream.pointee.avail_in = UInt32(bytes.count)
      step.end = unsafe run(limit: limit, into: &step.bytes)
      let taken = unsafe bytes.count - Int(stream.pointee.avail_in)
      unsafe stream.pointee.next_in = nil
      unsafe stream.pointee.avail_in = 0
      return taken
    }
  }

  @unsafe
  private func run(limit: Int, into output: inout [UInt8]) -> DecodingStep.End {
    while true {
      unsafe stream.pointee.next_out = piece
      unsafe stream.pointee.avail_out = UInt32(Self.pieceSize)
      let code = unsafe CCompression.inflate(stream, Z_SYNC_FLUSH)
      let made = unsafe Self.pieceSize - Int(stream.pointee.avail_out)
      let room = limit - output.count
      unsafe output.append(contentsOf: UnsafeBufferPointer(start: piece, count: min(made, room)))
      if made > room { return .limitReached }
      // A full piece may not be the last.
      if code == Z_OK, made == Self.pieceSize { continue }
      return unsafe end(code)
    }
  }

  @unsafe
  private func end(_ code: Int32) -> DecodingStep.End {
    switch code {
    case Z_STREAM_END: .complete
    // Also without progress: all input so far is decoded.
    case Z_OK, Z_BUF_ERROR: .inputEnded
    case Z_NEED_DICT: .wrong("it needs a dictionary")
    default: .wrong(unsafe message)
    }
  }

  @unsafe
  private var message: String {
    guard let text = unsafe stream.pointee.msg else { return "wrong data" }
    return unsafe String(cString: text)
  }
}
