internal import CCompression

/// Brotli's decompressor (RFC 7932), made anew for each body because it cannot be reset.
enum BrotliDecoder {
  private static let pieceSize = 32 << 10

  /// - Parameter cuts: places in the input, for `DecodingStep.ends`.
  static func decode(_ input: Span<UInt8>, limit: Int, cuts: [Int] = []) -> DecodingStep {
    var step = DecodingStep()
    guard let state = unsafe BrotliDecoderCreateInstance(nil, nil, nil) else {
      step.end = .wrong("no memory")
      return step
    }
    defer { unsafe BrotliDecoderDestroyInstance(state) }
    let piece = UnsafeMutablePointer<UInt8>.allocate(capacity: pieceSize)
    defer { unsafe piece.deallocate() }
    unsafe input.withUnsafeBufferPointer { bytes in
      var nextInput = bytes.baseAddress
      var rest = cuts[...]
      var given = rest.popFirst(below: bytes.count)
      var inputCount = given
      while true {
        var nextOutput: UnsafeMutablePointer<UInt8>? = unsafe piece
        var room = pieceSize
        let result = unsafe BrotliDecoderDecompressStream(state, &inputCount, &nextInput, &room, &nextOutput, nil)
        let made = pieceSize - room
        let allowed = limit - step.bytes.count
        unsafe step.bytes.append(contentsOf: UnsafeBufferPointer(start: piece, count: min(made, allowed)))
        if made > allowed {
          step.end = .limitReached
          return
        }
        switch result {
        case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT: continue
        case BROTLI_DECODER_RESULT_SUCCESS: step.end = .complete
        case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT where given < bytes.count:
          step.ends.append(step.bytes.count)
          let next = rest.popFirst(below: bytes.count)
          inputCount = next - given
          given = next
          continue
        case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT: step.end = .inputEnded
        default: step.end = .wrong(unsafe message(of: state))
        }
        return
      }
    }
    return step
  }

  @unsafe
  private static func message(of state: OpaquePointer) -> String {
    guard let text = unsafe BrotliDecoderErrorString(BrotliDecoderGetErrorCode(state)) else { return "wrong data" }
    return unsafe String(cString: text)
  }
}

extension ArraySlice<Int> {
  /// The next cut of an input, else its end.
  mutating func popFirst(below end: Int) -> Int { Swift.min(popFirst() ?? end, end) }
}
