extension String {
  /// UTF-8 where the bytes are that, otherwise Latin-1.
  init(validOrLatin1 bytes: [UInt8]) {
    if let text = String(validating: bytes, as: UTF8.self) {
      self = text
    } else {
      self.init(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
  }
}
