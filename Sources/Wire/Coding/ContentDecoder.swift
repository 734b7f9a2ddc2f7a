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
  }

  /// Undoes `codings`, starting with the last. No step yields more than `limit` bytes.
  package func decode(_ input: [UInt8], _ codings: [ContentCoding], limit: Int) throws(DecodingError) -> Output {
    let (output, error) = decodeAsFarAsItGoes(input, codings, limit: limit)
    if let error { throw error }
    return output
  }

  /// The same, also for wrong data: the part that could be undone, and why not more. If nothing could, the body is as it came.
  package func decodeAsFarAsItGoes(
    _ input: [UInt8], _ codings: [ContentCoding], limit: Int
  ) -> (output: Output, error: DecodingError?) {
    var output = Output(bytes: input, isPartial: false)
    for coding in codings.reversed() {
      let step = decode(output.bytes.span, coding, limit: limit)
      switch step.end {
      case .complete: break
      case .inputEnded, .limitReached: output.isPartial = true
      case .wrong(let reason):
        if !step.bytes.isEmpty { output = Output(bytes: step.bytes, isPartial: true) }
        return (output, .wrongData(coding, reason: reason))
      }
      output.bytes = step.bytes
    }
    return (output, nil)
  }

  private func decode(_ input: Span<UInt8>, _ coding: ContentCoding, limit: Int) -> DecodingStep {
    switch coding {
    case .gzip: inflater.decodeGzip(input, limit: limit)
    case .deflate: inflater.decodeDeflate(input, limit: limit)
    case .brotli: BrotliDecoder.decode(input, limit: limit)
    case .zstandard: zstandard.decode(input, limit: limit)
    case .awsChunked: AWSChunkedDecoder.decode(input, limit: limit)
    }
  }
}

/// The result of undoing one coding.
package struct DecodingStep {
  package var bytes: [UInt8] = []
  package var end = End.inputEnded

  package enum End: Equatable {
    case complete
    /// More input would have yielded more output.
    case inputEnded
    case limitReached
    case wrong(String)
  }
}
