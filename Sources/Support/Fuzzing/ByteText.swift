internal import TapelineBase

extension String {
  /// Reads valid UTF-8 as UTF-8, other bytes as Latin-1.
  init(validOrLatin1 bytes: [UInt8]) {
    if let text = String(validating: bytes, as: UTF8.self) {
      self = text
    } else {
      self.init(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
  }
}

/// Collects the output of a writer.
final class ByteSink {
  private(set) var bytes: [UInt8] = []

  func append(_ piece: Span<UInt8>) {
    bytes.append(bytes: piece)
  }
}
