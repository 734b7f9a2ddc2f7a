/// Whether a text is base64 (RFC 4648, section 4), and what can be done when it is not quite.
enum Base64Text {
  /// Line breaks do not count.
  static func isWhole(_ text: String) -> Bool {
    isWhole(text.utf8)
  }

  static func isWhole(_ octets: some Sequence<UInt8>) -> Bool {
    var letters = 0
    var padding = 0
    for octet in octets {
      switch octet {
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"): continue
      case UInt8(ascii: "="): padding += 1
      case _ where isLetter(octet) && padding == 0: letters += 1
      default: return false
      }
    }
    return padding <= 2 && (letters + padding) % 4 == 0
  }

  /// The letters of base64url become those of base64 and missing padding is added; `nil` when that does not help.
  static func mended(_ text: String) -> String? {
    var octets: [UInt8] = []
    for octet in text.utf8 where octet != UInt8(ascii: "=") {
      switch octet {
      case UInt8(ascii: "-"): octets.append(UInt8(ascii: "+"))
      case UInt8(ascii: "_"): octets.append(UInt8(ascii: "/"))
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"), 0x20: continue
      default: octets.append(octet)
      }
    }
    while octets.count % 4 > 1 { octets.append(UInt8(ascii: "=")) }
    let mended = String(decoding: octets, as: UTF8.self)
    return isWhole(mended) ? mended : nil
  }

  private static func isLetter(_ octet: UInt8) -> Bool {
    JSONOctets.isDigit(octet) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(octet | 0x20) || octet == UInt8(ascii: "+")
      || octet == UInt8(ascii: "/")
  }
}
