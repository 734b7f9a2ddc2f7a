internal import TapelineHAR
internal import TapelineBase

/// The parts of an absolute URL that queries ask for, without unescaping anything but `readable`.
package struct RequestURL: Hashable, Sendable {
  /// In lower case.
  package let scheme: String
  /// In lower case, without brackets and userinfo; otherwise unchanged.
  package let host: String
  private let writtenPort: UInt16?
  private let pathText: Substring

  /// `nil` when the text is not an absolute URL, or is ambiguous.
  ///
  /// Accepts bytes that a URI must percent-encode: other programs log them.
  package init?(_ text: String) {
    let ranges = URIRanges(text)
    guard let scheme = ranges.scheme, let range = ranges.authority,
      let authority = Authority(text.utf8.span, in: range, leniency: .unencodedBytes)
    else { return nil }
    self.scheme = text[utf8: scheme].withoutCapitals
    host = authority.host
    writtenPort = authority.port
    pathText = text[utf8: ranges.path]
  }

  /// The written port, else the default port of the scheme.
  package var port: Int? { writtenPort.map { Int($0) } ?? Self.defaultPorts[scheme] }
  /// The part before the query; `/` when empty.
  package var path: String { pathText.isEmpty ? "/" : String(pathText) }

  /// Scheme, host and port, without the default port: `https://api.test:8443`.
  package var origin: String {
    let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
    guard let port, port != Self.defaultPorts[scheme] else { return "\(scheme)://\(name)" }
    return "\(scheme)://\(name):\(port)"
  }

  private static let defaultPorts = ["http": 80, "ws": 80, "https": 443, "wss": 443]
}

extension String {
  /// A URL or a part of it as people write it: escaped UTF-8 beyond ASCII, and the escaped blank, are decoded. Other escapes
  /// stay, since `%2F` is not a slash. `nil` if that changes nothing.
  package var readableURL: String? {
    guard utf8.contains(UInt8(ascii: "%")) else { return nil }
    var bytes: [UInt8] = []
    let source = Array(utf8)
    var place = 0
    while place < source.count {
      let byte = Self.escaped(in: source, at: place)
      let isDecoded = byte.map { $0 >= 0x80 || $0 == UInt8(ascii: " ") } ?? false
      bytes.append(isDecoded ? byte ?? 0 : source[place])
      place += isDecoded ? 3 : 1
    }
    guard bytes.count < source.count else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func escaped(in bytes: [UInt8], at place: Int) -> UInt8? {
    guard bytes[place] == UInt8(ascii: "%"), place + 2 < bytes.count else { return nil }
    let digits = bytes[place + 1...place + 2]
    guard digits.allSatisfy(ByteSet.hexadecimal.contains) else { return nil }
    return UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
  }
}

/// The address of a request, fitted to the width of its row: what a line above already says is left out. If the rest is too long,
/// the end of the path stays, since it tells one request from the next.
struct RequestPlace: Hashable, Sendable {
  /// Scheme and authority; `nil` if the URL has none, and for a tunnel, which has only an authority.
  let origin: String?
  /// A tunnel's host.
  private let host: String
  /// For a tunnel, its port.
  private let path: String
  /// With its question mark.
  private let query: String
  /// Why a tunnel was not read, or the operation that a request asks for.
  private let remark: String

  /// An authority that the line above does not name keeps at least this many cells, or two fifths of the room.
  private static let leastAuthority = 8
  /// The most cells of an operation beside its URL.
  private static let operationLimit = 36

  init(_ entry: HAREntry) {
    let reason = UnreadTunnel(entry).map { " (\($0.reason.printable))" }
    let operation = RequestOperation(entry)?.nameBesideURL.map { " " + $0.printable.elided(to: Self.operationLimit) }
    self.init(entry.request.url, isTunnel: entry.request.asksForTunnel, remark: reason ?? operation ?? "")
  }

  init(_ url: String, isTunnel: Bool = false, remark: String = "") {
    let url = url.isEmpty ? "-" : url.printable
    let named = TapelineInspect.origin(of: url)
    self.remark = remark
    if isTunnel, !named.isEmpty {
      let authority = String(Self.authority(of: named))
      let host = AuthorityRanges(authority.utf8.span, in: 0..<authority.utf8.count).host
      (origin, self.host, path, query) = (
        nil, String(authority[utf8: 0..<host.upperBound]), String(authority[utf8: host.upperBound..<authority.utf8.count]), ""
      )
    } else {
      let rest = url.dropFirst(named.count)
      let queryStart = rest.firstIndex { $0 == "?" || $0 == "#" } ?? rest.endIndex
      origin = named.isEmpty ? nil : named
      (host, path, query) = ("", rest.isEmpty ? "/" : String(rest[..<queryStart]), String(rest[queryStart...]))
    }
  }

  /// - Parameter above: the origin that the line above names.
  /// - Returns: at most `width` cells.
  func text(under above: String?, width: Int) -> String {
    let lead = lead(under: above)
    let whole = lead + path + query + remark
    guard whole.cellCount > width else { return whole }
    let room = width - remark.cellCount
    guard remark.isEmpty || room >= Self.leastAuthority else { return whole.elided(to: width) }
    return shortened(lead, to: room) + remark
  }

  /// The text before the path: nothing, or the authority. The scheme is added unless it is that of the line above, or https.
  private func lead(under above: String?) -> String {
    guard let origin, origin != above else { return host }
    let scheme = Self.scheme(of: origin)
    return scheme == (above.map(Self.scheme) ?? "https") ? String(Self.authority(of: origin)) : origin
  }

  private static func scheme(of origin: String) -> Substring {
    origin.prefix { $0 != ":" }
  }

  private static func authority(of origin: String) -> Substring {
    origin.firstRange(of: "://").map { origin[$0.upperBound...] } ?? origin[...]
  }

  /// Shortens the query first, then the middle of the path, then the start of the path's last part.
  private func shortened(_ lead: String, to width: Int) -> String {
    let beforeQuery = lead + path
    let queryRoom = width - beforeQuery.cellCount
    if query.isEmpty, queryRoom >= 0 { return beforeQuery }
    if queryRoom >= 2 { return beforeQuery + query.prefix(cells: queryRoom - 1) + "…" }
    let end = path[lastPart...] + (query.isEmpty ? "" : "?…")
    let leastLead = min(lead.cellCount, max(Self.leastAuthority, width * 2 / 5))
    let start = beforeQuery.prefix(cells: min(width - 1, max(leastLead, width - 1 - String(end).cellCount)))
    return start + "…" + String(end).suffix(cells: max(0, width - 1 - String(start).cellCount))
  }

  /// Where the last part of the path begins, with its slash; a slash at the end belongs to the part before.
  private var lastPart: String.Index {
    let end = path.last == "/" ? path.index(before: path.endIndex) : path.endIndex
    return path[..<end].lastIndex(of: "/") ?? path.startIndex
  }
}
