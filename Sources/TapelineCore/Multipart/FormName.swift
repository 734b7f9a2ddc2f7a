/// Names of fields and files in a `Content-Disposition`, escaped as browsers do (HTML, "multipart/form-data encoding algorithm").
/// RFC 7578 4.2 leaves this open, and servers expect it.
enum FormName {
  /// - Parameter normalizesLineEnds: whether CR and LF alone become CRLF first, as in names of fields but not of files.
  static func escaped(_ name: String, normalizesLineEnds: Bool) -> String {
    var escaped: [UInt8] = []
    escaped.reserveCapacity(name.utf8.count)
    var previousIsReturn = false
    for byte in name.utf8 {
      if previousIsReturn, normalizesLineEnds, byte != 0x0A { escaped += "%0A".utf8 }
      switch byte {
      case 0x0A:
        if normalizesLineEnds, !previousIsReturn { escaped += "%0D".utf8 }
        escaped += "%0A".utf8
      case 0x0D: escaped += "%0D".utf8
      case 0x22: escaped += "%22".utf8
      default: escaped.append(byte)
      }
      previousIsReturn = byte == 0x0D
    }
    if previousIsReturn, normalizesLineEnds { escaped += "%0A".utf8 }
    return String(decoding: escaped, as: UTF8.self)
  }
}
