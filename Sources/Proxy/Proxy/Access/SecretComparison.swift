extension Collection<UInt8> {
  /// Whether these are the bytes of a secret. The time that it takes does not tell how much of them is right; it may tell their
  /// number.
  func equalsSecret(_ secret: some Collection<UInt8>) -> Bool {
    count == secret.count && zip(self, secret).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
