/// Whether a text is base64 (RFC 4648, section 4), and what can be done when it is not quite.
enum Base64Text {
  /// Line breaks do not count.
  static func isWhole(_ text: String) -> Bool {
    isWhole(text.utf8)
  }

  static func isWhole(_ bytes: some Sequence<UInt8>) -> Bool {
    var letters = 0
    var padding = 0
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"): continue
      case UInt8(ascii: "="): padding += 1
      case _ where isLetter(byte) && padding == 0: letters += 1
      default: return false
      }
    }
    return padding <= 2 && (letters + padding) % 4 == 0
  }

  /// The letters of base64url become those of base64 and missing padding is added; `nil` when that does not help.
  static func mended(_ text: String) -> String? {
    var bytes: [UInt8] = []
    for byte in text.utf8 where byte != UInt8(ascii: "=") {
      switch byte {
      case UInt8(ascii: "-"): bytes.append(UInt8(ascii: "+"))
      case UInt8(ascii: "_"): bytes.append(UInt8(ascii: "/"))
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"), 0x20: continue
      default: bytes.append(byte)
      }
    }
    while bytes.count % 4 > 1 { bytes.append(UInt8(ascii: "=")) }
    let mended = String(decoding: bytes, as: UTF8.self)
    return isWhole(mended) ? mended : nil
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    JSONBytes.isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "+")
      || byte == UInt8(ascii: "/")
  }
}
