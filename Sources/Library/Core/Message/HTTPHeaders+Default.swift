internal import FoundationEssentials
internal import TapelineBase

extension HTTPHeaders {
  /// The fields that a session sends with every request by default: the user's languages, and the user agent.
  ///
  /// `Accept-Encoding` is not among them, because a request that asks for content codings has to undo them. A `DataRequest` does,
  /// and adds `HTTPHeader.defaultAcceptEncoding`; downloads and streams hand out the body as received.
  public static let `default`: HTTPHeaders = [.defaultAcceptLanguage, .defaultUserAgent]
}

extension HTTPHeader {
  /// `Accept-Encoding: br;q=1.0, gzip;q=0.9, deflate;q=0.8`.
  public static let defaultAcceptEncoding = acceptEncoding(qualityList(["br", "gzip", "deflate"]))

  /// `Accept-Language` with up to six languages that the user prefers, by `LANGUAGE`, `LC_ALL`, `LC_MESSAGES` and `LANG`.
  public static let defaultAcceptLanguage = acceptLanguage(
    qualityList(preferredLanguages(in: ProcessInfo.processInfo.environment)))

  /// `User-Agent`: the program, the system, the library; `tool/Unknown (Unknown; build:Unknown; Linux 6.1.0) Tapeline/1`.
  public static let defaultUserAgent: HTTPHeader = {
    let program = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "Unknown"
    let version = ProcessInfo.processInfo.operatingSystemVersion
    let system = "Linux \(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
    return userAgent("\(token(program))/Unknown (Unknown; build:Unknown; \(system)) Tapeline/1")
  }()

  /// The values with a quality each, falling by a tenth (RFC 9110 12.4.2).
  static func qualityList(_ values: [String]) -> String {
    values.prefix(6).enumerated().map { index, value in
      "\(value);q=\(index == 0 ? "1.0" : "0.\(10 - index)")"
    }.joined(separator: ", ")
  }

  /// Languages as tags (RFC 5646), best first; English if the environment names none.
  static func preferredLanguages(in environment: [String: String]) -> [String] {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty }
    let names = (environment["LANGUAGE"] ?? "").split(separator: ":").map(String.init) + [locale].compactMap(\.self)
    var tags: [String] = []
    for name in names {
      guard let tag = languageTag(ofLocale: name), !tags.contains(tag) else { continue }
      tags.append(tag)
    }
    return tags.isEmpty ? ["en"] : tags
  }

  /// `de_CH.UTF-8@euro` is `de-CH`; the C locale is not a language.
  private static func languageTag(ofLocale name: String) -> String? {
    let tag = name.prefix { $0 != "." && $0 != "@" }.split(separator: "_").joined(separator: "-")
    let isTag = !tag.isEmpty && tag.utf8.allSatisfy(tagCharacters.contains)
    return isTag && tag != "C" && tag != "POSIX" ? tag : nil
  }

  /// `text` as a product's name (RFC 9110 10.1.5), which is a token.
  private static func token(_ text: String) -> String {
    let bytes = text.utf8.map { nameCharacters.contains($0) ? $0 : UInt8(ascii: "-") }
    return bytes.isEmpty ? "Unknown" : String(decoding: bytes, as: UTF8.self)
  }

  private static let tagCharacters = ByteSet.alphanumeric.union("-")
  private static let nameCharacters = ByteSet.alphanumeric.union("-._")
}
