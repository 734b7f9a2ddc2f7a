internal import TapelineText

/// A text encoding, found by the labels that the web uses (WHATWG Encoding Standard, 4.2).
enum Charset: Hashable {
  case utf8
  /// Any other encoding.
  case legacy(LegacyCharset)

  static let utf16LittleEndian = Charset.legacy(LegacyCharset("UTF-16LE"))
  static let utf16BigEndian = Charset.legacy(LegacyCharset("UTF-16BE"))

  /// The encoding of a label in either case; `nil` for an unknown label.
  init?(label: Span<UInt8>) {
    // Most text has this label, which needs no table.
    if label.equals("utf-8", in: label.indices) {
      self = .utf8
      return
    }
    guard label.count <= Self.longestLabel else { return nil }
    let text = String(decoding: label.asciiLowercased, as: UTF8.self)
    guard let charset = Self.byLabel[text] else { return nil }
    self = charset
  }

  private static let longestLabel = 24

  /// ISO 8859-1, -9 and -11 mean the Windows encodings that extend them; GBK means GB 18030; Shift_JIS and EUC-KR their
  /// Microsoft forms.
  private static let byLabel: [String: Charset] = {
    var table: [String: Charset] = ["utf-8": .utf8, "utf8": .utf8, "unicode-1-1-utf-8": .utf8]
    func add(_ name: String, mapsGapsToControls: Bool = false, _ labels: String...) {
      for label in labels { table[label] = .legacy(LegacyCharset(name, mapsGapsToControls: mapsGapsToControls)) }
    }
    add("UTF-16LE", "utf-16", "utf-16le", "ucs-2", "unicode", "csunicode")
    add("UTF-16BE", "utf-16be", "unicodefffe")
    add(
      "CP1252", mapsGapsToControls: true, "windows-1252", "cp1252", "x-cp1252", "iso-8859-1", "iso8859-1", "iso_8859-1",
      "iso88591",
      "latin1", "l1", "us-ascii", "ascii", "ansi_x3.4-1968", "iso-ir-100", "ibm819", "cp819")
    add("CP1254", mapsGapsToControls: true, "windows-1254", "cp1254", "iso-8859-9", "iso8859-9", "iso_8859-9", "latin5", "l5")
    add("CP874", mapsGapsToControls: true, "windows-874", "tis-620", "iso-8859-11", "dos-874")
    for number in [2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16] {
      add("ISO-8859-\(number)", "iso-8859-\(number)", "iso8859-\(number)", "iso_8859-\(number)")
    }
    add("ISO-8859-2", "latin2", "l2")
    add("ISO-8859-15", "latin9", "l9")
    add("ISO-8859-8", "iso-8859-8-i", "logical", "hebrew", "visual")
    for number in [1250, 1251, 1253, 1255, 1256, 1257, 1258] {
      add("CP\(number)", mapsGapsToControls: true, "windows-\(number)", "cp\(number)", "x-cp\(number)")
    }
    add("KOI8-R", "koi8-r", "koi8", "koi8_r", "koi", "cskoi8r")
    add("KOI8-U", "koi8-u", "koi8-ru")
    add("IBM866", "ibm866", "cp866", "866")
    add("MACINTOSH", "macintosh", "mac", "x-mac-roman")
    add("CP932", "shift_jis", "shift-jis", "sjis", "x-sjis", "ms_kanji", "ms932", "windows-31j", "csshiftjis")
    add("EUC-JP", "euc-jp", "x-euc-jp", "cseucpkdfmtjapanese")
    add("ISO-2022-JP", "iso-2022-jp", "csiso2022jp")
    add("GB18030", "gb18030", "gbk", "gb2312", "gb_2312-80", "x-gbk", "chinese", "csgb2312")
    add("BIG5-HKSCS", "big5", "big5-hkscs", "cn-big5", "x-x-big5", "csbig5")
    add("UHC", "euc-kr", "ks_c_5601-1987", "ksc5601", "ks_c_5601-1989", "windows-949", "korean", "cseuckr")
    return table
  }()
}

/// An encoding that is not UTF-8.
struct LegacyCharset: Hashable {
  /// The name that iconv uses.
  let name: String
  /// Bytes without a character become the C1 controls with the same number, as in browsers.
  let mapsGapsToControls: Bool

  init(_ name: String, mapsGapsToControls: Bool = false) {
    self.name = name
    self.mapsGapsToControls = mapsGapsToControls
  }
}

extension Span<UInt8> {
  /// The bytes with ASCII letters in lower case.
  var asciiLowercased: [UInt8] {
    indices.map { Byte.lowercased(self[$0]) }
  }
}
