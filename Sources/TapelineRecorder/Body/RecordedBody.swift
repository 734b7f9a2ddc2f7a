internal import TapelineCoding

/// A body as it goes into the log: decoded, in UTF-8 where it is text, and without its secrets.
struct RecordedBody {
  var bytes: [UInt8]
  /// Whether `bytes` is well-formed UTF-8 that is meant to be read.
  var isText = false
  /// Bytes of the whole body after decoding, as far as known.
  var size: UInt64
  /// Whether `size` is exact: it is not when only the beginning could be decoded.
  var isSizeKnown = true
  /// Why the bytes are not fully decoded: they are as they came, or only the beginning.
  var error: DecodingError?
  /// Bytes that came but were not kept.
  let missing: UInt64
}

extension RecordedBody {
  /// Hides the secrets of the entry.
  mutating func hideEchoes(by redactor: inout Redactor) {
    redactor.hideEchoes(in: &bytes)
  }
}
