internal import CCompression

/// Zstandard's decompressor (RFC 8878), which is reused.
///
/// Owned by one thread.
@safe
final class ZstandardDecoder {
  /// Owned; `nil` when memory for it was lacking.
  private let context: OpaquePointer?
  /// Owned: a piece of output is put here.
  private let piece: UnsafeMutablePointer<UInt8>

  private static let pieceSize = 32 << 10
  /// Content codings need a window of 8 MiB at most (RFC 9659, 3.1): a larger window would let a server command memory.
  private static let windowLog: Int32 = 23

  /// - Parameter windowLog: the largest window that a frame may need, as its binary logarithm.
  init(windowLog: Int32 = windowLog) {
    unsafe context = ZSTD_createDCtx()
    unsafe piece = .allocate(capacity: Self.pieceSize)
    if let context = unsafe context {
      unsafe ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, windowLog)
    }
  }

  deinit {
    unsafe ZSTD_freeDCtx(context)
    unsafe piece.deallocate()
  }

  /// Several frames may follow each other (RFC 8878, 3).
  ///
  /// - Parameter cuts: places in the input, for `DecodingStep.ends`.
  func decode(_ input: Span<UInt8>, limit: Int, cuts: [Int] = []) -> DecodingStep {
    var step = DecodingStep()
    guard let context = unsafe context else {
      step.end = .wrong("no memory")
      return step
    }
    unsafe ZSTD_DCtx_reset(context, ZSTD_reset_session_only)
    unsafe input.withUnsafeBufferPointer { bytes in
      var rest = cuts[...]
      var source = unsafe ZSTD_inBuffer(src: bytes.baseAddress, size: rest.popFirst(below: bytes.count), pos: 0)
      while true {
        var target = unsafe ZSTD_outBuffer(dst: piece, size: Self.pieceSize, pos: 0)
        let code = unsafe ZSTD_decompressStream(context, &target, &source)
        let made = unsafe target.pos
        let allowed = limit - step.bytes.count
        unsafe step.bytes.append(contentsOf: UnsafeBufferPointer(start: piece, count: min(made, allowed)))
        if made > allowed {
          step.end = .limitReached
        } else if ZSTD_isError(code) != 0 {
          step.end = .wrong(unsafe String(cString: ZSTD_getErrorName(code)))
        } else if made < Self.pieceSize, unsafe source.pos == source.size, unsafe source.size < bytes.count {
          step.ends.append(step.bytes.count)
          unsafe source.size = rest.popFirst(below: bytes.count)
          continue
        } else if code == 0, unsafe source.pos == source.size {
          step.end = .complete
        } else if made < Self.pieceSize, unsafe source.pos == source.size {
          step.end = .inputEnded
        } else {
          continue
        }
        return
      }
    }
    return step
  }

  /// Decodes `input` into `room` from `start` on, until either is used up. Complete at the end of a frame.
  func fill(_ room: inout [UInt8], from start: Int, with input: Span<UInt8>) -> FillingStep {
    guard let context = unsafe context else { return FillingStep(end: .wrong("no memory")) }
    var step = FillingStep()
    unsafe input.withUnsafeBufferPointer { input in
      unsafe room.withUnsafeMutableBufferPointer { room in
        var source = unsafe ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
        var target = unsafe ZSTD_outBuffer(dst: room.baseAddress, size: room.count, pos: start)
        let code = unsafe ZSTD_decompressStream(context, &target, &source)
        step.taken = unsafe source.pos
        step.made = unsafe target.pos - start
        if ZSTD_isError(code) != 0 {
          step.end = .wrong(unsafe String(cString: ZSTD_getErrorName(code)))
        } else if code == 0 {
          step.end = .complete
        }
      }
    }
    return step
  }
}
