internal import TapelineBase

/// A URL without the parts that vary from call to call: `https://h/orders/77?page=2` and `https://h/orders/78?page=9` are both
/// `https://h/orders/{id}?page`.
///
/// Numbers, UUIDs, hashes, dates and long random names in the path are folded; the query keeps its parameter names, each once and
/// in alphabetical order. Host and scheme are in lower case, and the port of a loopback address is folded if the system
/// chose it. `docs/diff.md` has the rules.
package struct URLTemplate: Hashable, Sendable {
  package let text: String
  /// Scheme, host and path.
  let withoutQuery: String

  /// - Parameters:
  ///   - ignoringHost: leaves scheme, host and port out.
  ///   - keepingPorts: keeps a port that the system chose: within one capture, another port is another server.
  package init(_ url: String, ignoringHost: Bool = false, keepingPorts: Bool = false) {
    if let dataEnd = Self.dataURLEnd(of: url) {
      text = url[..<dataEnd] + "…"
      withoutQuery = text
      return
    }
    let ranges = URIRanges(url)
    let path: Substring
    var template = ""
    if ranges.scheme != nil, let authority = ranges.authority {
      path = url[utf8: ranges.path]
      if !ignoringHost {
        template +=
          url[utf8: 0..<authority.lowerBound].lowercased() + Self.authority(of: url, in: authority, keepingPorts: keepingPorts)
      }
    } else {
      path = url[utf8: 0..<ranges.path.upperBound]
    }
    template += path.isEmpty ? "/" : Self.folded(path)
    withoutQuery = template
    if let query = ranges.query, !query.isEmpty { template += "?" + Self.names(url[utf8: query]) }
    text = template
  }

  /// The text after the media type of a `data:` URL is a body (RFC 2397).
  private static func dataURLEnd(of url: String) -> String.Index? {
    guard url.hasPrefix("data:"), let comma = url.firstIndex(of: ",") else { return nil }
    return url.index(after: comma)
  }

  // MARK: Authority

  private static func authority(of url: String, in range: Range<Int>, keepingPorts: Bool) -> String {
    let ranges = AuthorityRanges(url.utf8.span, in: range)
    let name = url[utf8: ranges.host].lowercased()
    let isLoopback = name == "localhost" || name == "[::1]" || name.hasPrefix("127.")
    // Linux assigns free ports from 32768 on: a server under test has another port in each run.
    if !keepingPorts, isLoopback, let digits = ranges.port, let port = Authority.port(url[utf8: digits]), port >= 32_768 {
      return "\(name):{port}"
    }
    return url[utf8: ranges.hostAndPort].lowercased()
  }

  // MARK: Path

  private static func folded(_ path: Substring) -> String {
    // Every name that is folded has a digit, but for a UUID that has none among 32.
    guard path.utf8.contains(where: Byte.isDigit) else { return String(path) }
    let segments = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    return segments.map { segment(Substring($0)) }.joined(separator: "/")
  }

  private static func segment(_ segment: Substring) -> String {
    // Tries the whole segment first: the parts of a UUID or a date would look like numbers and words.
    FoldedName(whole: segment)?.placeholder ?? pieces(of: segment)
  }

  /// `order-77.json` is `order-{id}.json`.
  private static func pieces(of segment: Substring) -> String {
    var text = ""
    let bytes = segment.utf8
    var start = bytes.startIndex
    for end in bytes.indices where isPieceSeparator(bytes[end]) {
      text += folded(piece: segment[start..<end])
      start = bytes.index(after: end)
      text += segment[end..<start]
    }
    return text + folded(piece: segment[start...])
  }

  private static func folded(piece: Substring) -> Substring {
    FoldedName(piece: piece)?.placeholder[...] ?? piece
  }

  private static func isPieceSeparator(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "~"), UInt8(ascii: ","), UInt8(ascii: ";"),
      UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "!"), UInt8(ascii: "+"):
      true
    default: false
    }
  }

  // MARK: Query

  private static func names(_ query: Substring) -> String {
    let names = query.split(separator: "&").map { pair in segment(pair.prefix { $0 != "=" }) }
    return Set(names).sorted().joined(separator: "&")
  }
}

/// Parts of a URL's path that identify one of many things.
private enum FoldedName: Hashable, Sendable {
  /// A number, a UUID, a hash, or random letters and digits. They share one placeholder, since a hash may look like a number.
  case identifier
  case date

  var placeholder: String {
    switch self {
    case .identifier: "{id}"
    case .date: "{date}"
    }
  }

  /// The kind of a whole segment; `nil` for a name to keep.
  init?(whole text: Substring) {
    if Self.isUUID(text.utf8) {
      self = .identifier
    } else if Self.isDate(text.utf8) {
      self = .date
    } else {
      self.init(piece: text)
    }
  }

  /// The kind of a piece of a segment, between hyphens, full stops and the like.
  init?(piece text: Substring) {
    let bytes = text.utf8
    guard bytes.contains(where: Byte.isDigit) else { return nil }
    let isNumber = bytes.allSatisfy(Byte.isDigit)
    let isHash = bytes.count >= 8 && bytes.allSatisfy(ByteSet.hexadecimal.contains)
    let isRandom = bytes.count >= 16 && bytes.allSatisfy(ByteSet.alphanumeric.contains) && bytes.count(where: Byte.isDigit) >= 2
    guard isNumber || isHash || isRandom else { return nil }
    self = .identifier
  }

  /// 8-4-4-4-12 hexadecimal digits.
  private static func isUUID(_ bytes: Substring.UTF8View) -> Bool {
    guard bytes.count == 36 else { return false }
    return bytes.enumerated().allSatisfy { index, byte in
      [8, 13, 18, 23].contains(index) ? byte == UInt8(ascii: "-") : ByteSet.hexadecimal.contains(byte)
    }
  }

  /// `2026-01-02`, alone or with a `T` and a time.
  private static func isDate(_ bytes: Substring.UTF8View) -> Bool {
    guard bytes.count >= 10 else { return false }
    let day = bytes.prefix(10).enumerated().allSatisfy { index, byte in
      index == 4 || index == 7 ? byte == UInt8(ascii: "-") : Byte.isDigit(byte)
    }
    let time = bytes.dropFirst(10)
    return day && (time.isEmpty || time.first == UInt8(ascii: "T") && time.dropFirst().first.map(Byte.isDigit) == true)
  }
}
