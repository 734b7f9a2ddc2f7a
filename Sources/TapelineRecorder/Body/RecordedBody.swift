internal import TapelineCoding

/// A body as it goes into the log: decoded, in UTF-8 where it is text, and without its secrets.
struct RecordedBody {
  var bytes: [UInt8]
  /// Whether `bytes` is well-formed UTF-8 that is meant to be read.
  var isText = false
  /// Bytes of the whole body after decoding, as far as that is known.
  var size: UInt64
  /// Whether `size` is the true one: it is not when only the beginning could be decoded.
  var isSizeKnown = true
  /// Why the bytes are not what they were before a coding was applied to them: they are as they came, or only their beginning.
  var error: DecodingError?
  /// Bytes that came and were not kept.
  let missing: UInt64
}

extension RecordedBody {
  /// Looks for the secrets of the entry.
  mutating func hideEchoes(by redactor: inout Redactor) {
    redactor.hideEchoes(in: &bytes)
  }
}
