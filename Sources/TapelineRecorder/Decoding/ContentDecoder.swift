/// Undoes content codings of recorded bodies. What a client receives never comes here.
///
/// Owned by the recorder's thread; keeps its decoders' memory from body to body.
final class ContentDecoder {
  private let inflater = Inflater()
  private let zstandard = ZstandardDecoder()

  /// What became of a body.
  struct Output {
    var octets: [UInt8]
    /// Whether `octets` is only the beginning: the input ended early, or the limit was reached.
    var isPartial: Bool
  }

  /// Undoes `codings`, the last one first. No step yields more than `limit` octets.
  func decode(_ input: [UInt8], _ codings: [ContentCoding], limit: Int) throws(DecodingError) -> Output {
    var output = Output(octets: input, isPartial: false)
    for coding in codings.reversed() {
      let step = decode(output.octets.span, coding, limit: limit)
      output.octets = step.octets
      switch step.end {
      case .complete: break
      case .inputEnded, .limitReached: output.isPartial = true
      case .wrong(let reason): throw .wrongData(coding, reason: reason)
      }
    }
    return output
  }

  private func decode(_ input: Span<UInt8>, _ coding: ContentCoding, limit: Int) -> DecodingStep {
    switch coding {
    case .gzip: inflater.decodeGzip(input, limit: limit)
    case .deflate: inflater.decodeDeflate(input, limit: limit)
    case .brotli: BrotliDecoder.decode(input, limit: limit)
    case .zstandard: zstandard.decode(input, limit: limit)
    }
  }
}

/// What undoing one coding gave.
struct DecodingStep {
  var octets: [UInt8] = []
  var end = End.inputEnded

  enum End: Equatable {
    case complete
    /// More input would have given more output.
    case inputEnded
    case limitReached
    case wrong(String)
  }
}
