/// Undoes content codings (RFC 9110 8.4) of recorded bodies, and of bodies that a library user wants decoded. Bodies that the
/// proxy relays never come here.
///
/// Owned by one thread; keeps its decoders' memory between bodies.
package final class ContentDecoder {
  private let inflater = Inflater()
  private let zstandard = ZstandardDecoder()

  package init() {}

  /// The result of decoding a body.
  package struct Output {
    package var bytes: [UInt8]
    /// Whether `bytes` is only the beginning: the input ended early, or the limit was reached.
    package var isPartial: Bool
    /// How many of the bytes the input had yielded at each of its cuts; empty if nobody asked or can tell.
    package var ends: [Int] = []
  }

  /// Undoes `codings`, starting with the last. No step yields more than `limit` bytes.
  package func decode(_ input: [UInt8], _ codings: [ContentCoding], limit: Int) throws(DecodingError) -> Output {
    let (output, error) = decodeAsFarAsItGoes(input, codings, limit: limit)
    if let error { throw error }
    return output
  }

  /// The same, also for wrong data: the part that could be undone, and why not more. If nothing could, the body is as it came.
  ///
  /// - Parameter cuts: places in the input, in rising order, for `Output.ends`.
  package func decodeAsFarAsItGoes(
    _ input: [UInt8], _ codings: [ContentCoding], limit: Int, cuts: [Int] = []
  ) -> (output: Output, error: DecodingError?) {
    var output = Output(bytes: input, isPartial: false, ends: cuts)
    for coding in codings.reversed() {
      let step = decode(output.bytes.span, coding, limit: limit, cuts: output.ends)
      switch step.end {
      case .complete: break
      case .inputEnded, .limitReached: output.isPartial = true
      case .wrong(let reason):
        if !step.bytes.isEmpty { output = Output(bytes: step.bytes, isPartial: true, ends: step.ends(at: output.ends.count)) }
        return (output, .wrongData(coding, reason: reason))
      }
      output.bytes = step.bytes
      output.ends = coding == .awsChunked ? [] : step.ends(at: output.ends.count)
    }
    return (output, nil)
  }

  private func decode(_ input: Span<UInt8>, _ coding: ContentCoding, limit: Int, cuts: [Int]) -> DecodingStep {
    switch coding {
    case .gzip: inflater.decodeGzip(input, limit: limit, cuts: cuts)
    case .deflate: inflater.decodeDeflate(input, limit: limit, cuts: cuts)
    case .brotli: BrotliDecoder.decode(input, limit: limit, cuts: cuts)
    case .zstandard: zstandard.decode(input, limit: limit, cuts: cuts)
    case .awsChunked: AWSChunkedDecoder.decode(input, limit: limit)
    }
  }
}

/// The result of undoing one coding.
package struct DecodingStep {
  package var bytes: [UInt8] = []
  package var end = End.inputEnded
  /// Bytes of the output at the first cuts of the input.
  package var ends: [Int] = []

  /// At all cuts: those that the end of the output came before have all of it.
  func ends(at count: Int) -> [Int] {
    ends.count < count ? ends + [Int](repeating: bytes.count, count: count - ends.count) : ends
  }

  package enum End: Equatable {
    case complete
    /// More input would have yielded more output.
    case inputEnded
    case limitReached
    case wrong(String)
  }
}
