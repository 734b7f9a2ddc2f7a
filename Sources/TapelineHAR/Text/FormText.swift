/// One field of an `application/x-www-form-urlencoded` body.
enum FormText {
  static func encoded(_ name: String, _ value: String) -> String {
    encoded(name) + "=" + encoded(value)
  }

  private static func encoded(_ text: String) -> String {
    var output = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "*"):
        output.unicodeScalars.append(Unicode.Scalar(byte))
      case 0x20: output += "+"
      default: output += "%" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return output
  }
}
