public import FoundationEssentials
internal import TapelineSystem
internal import TapelineBase

/// An encoding of text, by its `charset` name.
///
/// UTF-8, UTF-16, UTF-32, ASCII, ISO-8859-1 and windows-1252 are always available; the system's iconv decides which others are.
public struct TextEncoding: Sendable, Hashable {
  /// The name in lower case, e.g. `utf-8`.
  public let name: String
  private let form: Form

  private enum Form: Hashable {
    case utf8
    case ascii
    case isoLatin1
    case windows1252
    /// `nil`: the byte order mark decides; little-endian without one, as on the web.
    case utf16(isBigEndian: Bool?)
    case utf32(isBigEndian: Bool?)
    case other
  }

  private init(name: String, form: Form) {
    self.name = name
    self.form = form
  }

  /// RFC 3629.
  public static let utf8 = TextEncoding(name: "utf-8", form: .utf8)
  /// Seven bits.
  public static let ascii = TextEncoding(name: "us-ascii", form: .ascii)
  /// Each byte is the character of the same number.
  public static let isoLatin1 = TextEncoding(name: "iso-8859-1", form: .isoLatin1)
  /// The encoding of most text that claims to be ISO-8859-1.
  public static let windows1252 = TextEncoding(name: "windows-1252", form: .windows1252)
  /// The byte order mark decides; little-endian without one.
  public static let utf16 = TextEncoding(name: "utf-16", form: .utf16(isBigEndian: nil))
  /// The higher byte comes first.
  public static let utf16BigEndian = TextEncoding(name: "utf-16be", form: .utf16(isBigEndian: true))
  /// The lower byte comes first.
  public static let utf16LittleEndian = TextEncoding(name: "utf-16le", form: .utf16(isBigEndian: false))
  /// The byte order mark decides; little-endian without one.
  public static let utf32 = TextEncoding(name: "utf-32", form: .utf32(isBigEndian: nil))

  /// The encoding that Foundation's value stands for; `nil` when this system does not know it.
  public init?(_ encoding: String.Encoding) {
    let names: [String.Encoding: String] = [
      .utf8: "utf-8", .ascii: "us-ascii", .isoLatin1: "iso-8859-1", .windowsCP1252: "windows-1252", .utf16: "utf-16",
      .utf16BigEndian: "utf-16be", .utf16LittleEndian: "utf-16le", .utf32: "utf-32",
      .utf32BigEndian: "utf-32be", .utf32LittleEndian: "utf-32le", .isoLatin2: "iso-8859-2", .japaneseEUC: "euc-jp",
      .shiftJIS: "shift_jis", .iso2022JP: "iso-2022-jp", .windowsCP1250: "windows-1250", .windowsCP1251: "windows-1251",
      .windowsCP1253: "windows-1253", .windowsCP1254: "windows-1254", .macOSRoman: "macintosh",
    ]
    guard let name = names[encoding] else { return nil }
    self.init(name: name)
  }

  /// The encoding with this name in any case; `nil` when this system does not know it.
  public init?(name: String) {
    let name = name.lowercased()
    switch name {
    case "utf-8", "utf8": self = .utf8
    case "us-ascii", "ascii": self = .ascii
    case "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1": self = .isoLatin1
    case "windows-1252", "cp1252", "x-cp1252": self = .windows1252
    case "utf-16", "utf16": self = .utf16
    case "utf-16be": self = .utf16BigEndian
    case "utf-16le": self = .utf16LittleEndian
    case "utf-32", "utf32": self = .utf32
    case "utf-32be": self.init(name: name, form: .utf32(isBigEndian: true))
    case "utf-32le": self.init(name: name, form: .utf32(isBigEndian: false))
    default:
      guard CharacterConversion.isKnown(name) else { return nil }
      self.init(name: name, form: .other)
    }
  }

  /// The text of `data` in this encoding, without a byte order mark; `nil` when `data` is not valid.
  public func decode(_ data: Data) -> String? {
    switch form {
    case .utf8: String(validating: data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data, as: UTF8.self)
    case .ascii: String(validating: data, as: Unicode.ASCII.self)
    case .isoLatin1: String(String.UnicodeScalarView(data.map { Unicode.Scalar($0) }))
    case .windows1252: String(String.UnicodeScalarView(data.map(Self.windows1252Scalar)))
    case .utf16(let isBigEndian): Self.units(of: data, isBigEndian: isBigEndian).flatMap(Self.utf16Text)
    case .utf32(let isBigEndian): Self.units(of: data, isBigEndian: isBigEndian).flatMap(Self.utf32Text)
    case .other: CharacterConversion.decode(data, from: name)
    }
  }

  // MARK: Single bytes

  /// 0x80 to 0x9F of windows-1252. Five of them are not characters there and become the controls of ISO-8859-1, as in browsers.
  private static let windows1252Range =
    Array(
      "\u{20AC}\u{81}\u{201A}\u{192}\u{201E}\u{2026}\u{2020}\u{2021}\u{2C6}\u{2030}\u{160}\u{2039}\u{152}\u{8D}\u{17D}\u{8F}"
        .unicodeScalars)
    + Array(
      "\u{90}\u{2018}\u{2019}\u{201C}\u{201D}\u{2022}\u{2013}\u{2014}\u{2DC}\u{2122}\u{161}\u{203A}\u{153}\u{9D}\u{17E}\u{178}"
        .unicodeScalars)

  private static func windows1252Scalar(_ byte: UInt8) -> Unicode.Scalar {
    (0x80..<0xA0).contains(byte) ? windows1252Range[Int(byte) - 0x80] : Unicode.Scalar(byte)
  }

  // MARK: Units of several bytes

  /// The units in `data`, without a byte order mark; `nil` when it ends inside one.
  private static func units<Unit: FixedWidthInteger & UnsignedInteger>(of data: Data, isBigEndian: Bool?) -> [Unit]? {
    let size = Unit.bitWidth / 8
    guard data.count.isMultiple(of: size) else { return nil }
    let bytes = Array(data)
    var units: [Unit] = stride(from: 0, to: bytes.count, by: size).map { start in
      bytes[start..<start + size].reversed().reduce(0) { $0 << 8 | Unit($1) }
    }
    let mark: Unit = 0xFEFF
    let startsSwapped = units.first == mark.byteSwapped
    if isBigEndian ?? startsSwapped { units = units.map(\.byteSwapped) }
    return units.first == mark ? Array(units.dropFirst()) : units
  }

  private static func utf16Text(_ units: [UInt16]) -> String? {
    String(validating: units, as: UTF16.self)
  }

  private static func utf32Text(_ units: [UInt32]) -> String? {
    String(validating: units, as: UTF32.self)
  }
}

extension TextEncoding: CustomStringConvertible {
  public var description: String { name }
}

/// Decodes text in encodings that only the system knows. A converter lives for one call.
private enum CharacterConversion {
  /// Whether the system can decode the encoding called `name`.
  static func isKnown(_ name: String) -> Bool {
    converter(from: name) != nil
  }

  /// The text; `nil` when `data` is not valid in the encoding, or the system does not know the encoding.
  static func decode(_ data: Data, from name: String) -> String? {
    guard let converter = converter(from: name) else { return nil }
    // No encoding makes more than four bytes of UTF-8 from one of its own.
    var text = [UInt8](repeating: 0, count: data.count * 4 + 16)
    var (position, end) = (0, 0)
    guard case .end = converter.convert(Array(data).span, from: &position, into: &text, from: &end),
      // A decoder may still hold back a character, waiting for the next one.
      converter.finish(into: &text, from: &end)
    else { return nil }
    return String(validating: text[..<end], as: UTF8.self)
  }

  private static func converter(from name: String) -> CharacterConverter? {
    // Text after a slash sets options of iconv, which a server must not set.
    guard !name.isEmpty, name.utf8.allSatisfy({ $0 > Byte.space && $0 < Byte.delete && $0 != Byte.slash }) else { return nil }
    return CharacterConverter(from: name)
  }
}
