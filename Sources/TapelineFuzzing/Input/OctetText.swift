extension String {
  /// UTF-8 where the octets are that, otherwise Latin-1.
  init(validOrLatin1 octets: [UInt8]) {
    if let text = String(validating: octets, as: UTF8.self) {
      self = text
    } else {
      self.init(String.UnicodeScalarView(octets.map { Unicode.Scalar($0) }))
    }
  }
}
