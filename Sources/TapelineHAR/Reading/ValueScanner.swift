/// Finds where a JSON value ends without reading it, and goes on where it stopped when more octets have come.
///
/// It only tells strings from structure; whether the value is right is for the parser to say.
struct ValueScanner: Sendable {
  private var depth = 0
  private var isInString = false
  private var isEscaped = false
  /// Begun, and no bracket or quote: a number or a word, which ends before the next delimiter.
  private var isBare = false
  /// Offset from the value's start up to which octets have been looked at.
  private(set) var scanned = 0

  /// The value's length, once its end is among `octets`, which start with the value.
  ///
  /// - Parameter isLast: no octets will follow, so the end of the text ends a number.
  mutating func length(in octets: Span<UInt8>, isLast: Bool) -> Int? {
    while scanned < octets.count {
      if isInString {
        skipString(in: octets)
        if !isInString, depth == 0 { return scanned }
        continue
      }
      let octet = octets[scanned]
      switch octet {
      case UInt8(ascii: "\""):
        if isBare { return scanned }
        isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        if isBare { return scanned }
        depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if isBare { return scanned }
        depth -= 1
        if depth <= 0 { return scanned + 1 }
      case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ","), UInt8(ascii: ":"):
        if isBare { return scanned }
      default:
        if depth == 0 { isBare = true }
      }
      scanned += 1
    }
    return isLast && isBare ? scanned : nil
  }

  private mutating func skipString(in octets: Span<UInt8>) {
    while scanned < octets.count {
      if isEscaped {
        isEscaped = false
        scanned += 1
        continue
      }
      let special = StringOctets.nextSpecial(in: octets, from: scanned)
      scanned = min(special + 1, octets.count)
      guard special < octets.count else { return }
      if octets[special] == UInt8(ascii: "\\") {
        isEscaped = true
      } else if octets[special] == UInt8(ascii: "\"") {
        isInString = false
        return
      }
    }
  }
}
