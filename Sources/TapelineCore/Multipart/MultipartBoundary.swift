internal import TapelineText

/// The rules for the boundary between the parts of a multipart body (RFC 2046 5.1.1).
enum MultipartBoundary {
  private static let characters = ByteSet.alphanumeric.union("'()+_,-./:=? ")

  static func isValid(_ boundary: String) -> Bool {
    (1...70).contains(boundary.utf8.count) && !boundary.hasSuffix(" ") && boundary.utf8.allSatisfy(characters.contains)
  }
}
