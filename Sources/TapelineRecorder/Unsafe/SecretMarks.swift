// Hot path: every octet of every header value, URL and body passes here once.

/// The octets that stand in or before a secret and make `SecretFinder` look around.
enum SecretMarks {
  private typealias Piece = SIMD16<UInt8>

  /// Where the next one is, from `start` on; the end of the text when there is none. Sixteen octets at a time have none of them.
  static func next(in text: Span<UInt8>, from start: Int) -> Int {
    var index = start
    unsafe text.withUnsafeBytes { octets in
      while octets.count - index >= Piece.scalarCount {
        let piece = unsafe octets.loadUnaligned(fromByteOffset: index, as: Piece.self)
        // B and b; - and /; I and J; = and >: each pair by one comparison.
        var marks = (piece | 0x20) .== UInt8(ascii: "b")
        marks .|= (piece & 0xFD) .== UInt8(ascii: "-")
        marks .|= (piece &- UInt8(ascii: "I")) .< 2
        marks .|= (piece &- UInt8(ascii: "=")) .< 2
        marks .|= piece .== UInt8(ascii: ":")
        marks .|= piece .== UInt8(ascii: "\"")
        marks .|= piece .== UInt8(ascii: "%")
        marks .|= piece .== UInt8(ascii: "_")
        if any(marks) { break }
        index += Piece.scalarCount
      }
    }
    while index < text.count, !contains(text[index]) { index += 1 }
    return index
  }

  @inline(__always)
  private static func contains(_ octet: UInt8) -> Bool {
    switch octet {
    case UInt8(ascii: "\""), UInt8(ascii: ":"), UInt8(ascii: "="), UInt8(ascii: "%"), UInt8(ascii: "/"), UInt8(ascii: ">"),
      UInt8(ascii: "J"), UInt8(ascii: "I"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "B"), UInt8(ascii: "b"):
      true
    default:
      false
    }
  }
}
