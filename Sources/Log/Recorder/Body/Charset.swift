internal import TapelineSystem
internal import TapelineBase

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

/// Finds the encoding that a text declares for itself.
enum CharsetSniffer {
  /// Only this many bytes of a document are searched, as in browsers (HTML, 13.2.3.2).
  private static let prefixSize = 1024

  /// The encoding of a byte order mark, and the mark's length. The mark takes precedence over any label (WHATWG Encoding, 6).
  static func byteOrderMark(of text: Span<UInt8>) -> (charset: Charset, size: Int)? {
    guard text.count >= 2 else { return nil }
    switch (text[0], text[1]) {
    case (0xFF, 0xFE): return (.utf16LittleEndian, 2)
    case (0xFE, 0xFF): return (.utf16BigEndian, 2)
    default: return nil
    }
  }

  /// The label in `<meta charset=…>`, `<meta … content="…; charset=…">`, `<?xml … encoding="…">` or CSS's `@charset "…"`.
  static func declaration(in text: Span<UInt8>) -> Charset? {
    let end = min(text.count, prefixSize)
    var index = 0
    while index < end {
      let rest = index..<end
      if text.starts(with: "charset", in: rest), let charset = label(text, after: index + 7, before: end) { return charset }
      if text.starts(with: "encoding", in: rest), let charset = label(text, after: index + 8, before: end) { return charset }
      index += 1
    }
    return nil
  }

  /// The label after `=`, blanks and quotes.
  private static func label(_ text: Span<UInt8>, after start: Int, before end: Int) -> Charset? {
    var lower = start
    while lower < end, isBeforeLabel(text[lower]) { lower += 1 }
    guard lower > start else { return nil }
    var upper = lower
    while upper < end, isLabel(text[upper]) { upper += 1 }
    return Charset(label: text.extracting(lower..<upper))
  }

  private static func isBeforeLabel(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "=") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") || byte == 0x20
  }

  private static func isLabel(_ byte: UInt8) -> Bool {
    ByteSet.alphanumeric.contains(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
  }
}

/// Converts text of other encodings to UTF-8.
///
/// Owned by the recorder's thread; keeps a converter for each encoding that it has met.
final class TextTranscoder {
  private var converters: [LegacyCharset: Converter] = [:]

  private final class Converter {
    /// `nil` when this system does not have the encoding.
    let converter: CharacterConverter?

    init(_ charset: LegacyCharset) {
      converter = CharacterConverter(from: charset.name)
    }

    /// The text as UTF-8; `nil` when it is not valid in its encoding.
    func transcode(_ text: Span<UInt8>, mapsGapsToControls: Bool, isTruncated: Bool) -> [UInt8]? {
      guard converter != nil else { return nil }
      converter?.reset()
      // No encoding makes more than three bytes of UTF-8 from one byte, and few make more than two.
      var output = [UInt8](repeating: 0, count: text.count * 3 + 16)
      var (position, end) = (0, 0)
      while position < text.count {
        switch converter?.convert(text, from: &position, into: &output, from: &end) {
        case .end: break
        case .incomplete:
          guard isTruncated else { return nil }
          return Array(output[..<end])
        case .invalid where mapsGapsToControls && output.count - end >= 2:
          output[end] = 0xC0 | text[position] >> 6
          output[end + 1] = 0x80 | text[position] & 0x3F
          position += 1
          end += 2
        case .invalid, .full, nil: return nil
        }
      }
      // The bytes that a stateful encoding still holds back.
      _ = converter?.finish(into: &output, from: &end)
      output.removeLast(output.count - end)
      return output
    }
  }

  /// The text as UTF-8; `nil` when it is not valid in its encoding. A character that is cut off at the end is left out.
  func transcode(_ text: Span<UInt8>, from charset: LegacyCharset, isTruncated: Bool) -> [UInt8]? {
    converter(for: charset).transcode(text, mapsGapsToControls: charset.mapsGapsToControls, isTruncated: isTruncated)
  }

  private func converter(for charset: LegacyCharset) -> Converter {
    if let known = converters[charset] { return known }
    let converter = Converter(charset)
    converters[charset] = converter
    return converter
  }
}
