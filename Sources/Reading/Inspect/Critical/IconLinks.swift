internal import TapelineHTTP
internal import TapelineBase

/// The icons that a document names in its head (`<link rel=icon href=…>`): a browser asks for them by itself.
struct IconLinks {
  /// As the document has them: relative or absolute.
  let references: [String]

  /// Heads are shorter.
  private static let reach = 64 << 10
  private static let longestTag = 2_048

  init(in body: [UInt8]) {
    var found: [String] = []
    let bytes = body.span.extracting(first: Self.reach)
    var place = 0
    while let start = bytes.first(of: UInt8(ascii: "<"), from: place) {
      place = start + 1
      guard bytes.starts(with: "link", in: place..<bytes.count) else { continue }
      let tag = Self.tag(in: bytes.extracting(droppingFirst: place))
      guard let relation = Self.value(of: "rel", in: tag)?.lowercased(),
        relation.split(separator: " ").contains(where: Self.isIcon),
        let reference = Self.value(of: "href", in: tag)
      else { continue }
      found.append(reference.replacing("&amp;", with: "&"))
    }
    references = found
  }

  /// The text before the tag's end.
  private static func tag(in bytes: Span<UInt8>) -> Substring {
    let bytes = bytes.extracting(first: longestTag)
    return String(bytes: bytes.extracting(first: bytes.first(of: UInt8(ascii: ">")) ?? bytes.count))[...]
  }

  private static func isIcon(_ relation: Substring) -> Bool {
    relation == "icon" || relation == "mask-icon" || relation.hasPrefix("apple-touch-icon")
  }

  /// The value of an attribute, with quotes or without.
  private static func value(of name: String, in tag: Substring) -> String? {
    guard let start = tag.firstRange(of: " \(name)=")?.upperBound else { return nil }
    let rest = tag[start...]
    guard let quote = rest.first, quote == "\"" || quote == "'" else { return String(rest.prefix { !$0.isWhitespace }) }
    return String(rest.dropFirst().prefix { $0 != quote })
  }
}
