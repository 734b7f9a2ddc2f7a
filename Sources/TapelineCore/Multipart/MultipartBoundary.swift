/// What may separate the parts of a multipart body (RFC 2046 5.1.1).
enum MultipartBoundary {
  static func isValid(_ boundary: String) -> Bool {
    (1...70).contains(boundary.utf8.count) && !boundary.hasSuffix(" ") && boundary.utf8.allSatisfy(isBoundaryByte)
  }

  /// Whether a parameter's value may have it without quotes (RFC 9110 5.6.2).
  static func isToken(_ boundary: String) -> Bool {
    boundary.utf8.allSatisfy { isAlphanumeric($0) || "'+_-.".utf8.contains($0) }
  }

  private static func isBoundaryByte(_ byte: UInt8) -> Bool {
    isAlphanumeric(byte) || "'()+_,-./:=? ".utf8.contains(byte)
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default:
      false
    }
  }
}
