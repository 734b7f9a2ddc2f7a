extension Span<UInt8> {
  /// Whether this is large and has so many control bytes, six bytes each in JSON, that base64 is smaller.
  package var isBulkyInJSON: Bool {
    guard count >= 1 << 20 else { return false }
    // Except for HTAB, LF and CR, for which JSON has short escapes.
    var controls = 0
    for index in indices {
      switch self[index] {
      case 0x09, 0x0A, 0x0D: break
      case 0..<0x20: controls += 1
      default: break
      }
    }
    return controls > count / 4
  }
}
