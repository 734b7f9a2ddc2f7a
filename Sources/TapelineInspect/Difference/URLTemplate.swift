/// A URL without what varies from call to call: `https://h/orders/77?page=2` and `https://h/orders/78?page=9` are both
/// `https://h/orders/{id}?page`.
///
/// Numbers, UUIDs, hashes, dates and long random names in the path are folded; of the query the names are kept, each once and in
/// the order of the alphabet. Host and scheme are in lower case, and the port of a loopback address is folded where the system
/// chose it. `docs/diff.md` has the rules.
package struct URLTemplate: Hashable, Sendable {
  package let text: String
  /// Scheme, host and path.
  let withoutQuery: String

  /// - Parameter ignoringHost: leaves scheme, host and port out.
  package init(_ url: String, ignoringHost: Bool = false) {
    if let dataEnd = Self.dataURLEnd(of: url) {
      text = url[..<dataEnd] + "…"
      withoutQuery = text
      return
    }
    let withoutFragment = url.prefix { $0 != "#" }
    let head = withoutFragment.prefix { $0 != "?" }
    let path: Substring
    var template = ""
    if let authorityStart = Self.authorityStart(in: head) {
      let pathStart = head[authorityStart...].firstIndex(of: "/") ?? head.endIndex
      path = head[pathStart...]
      if !ignoringHost {
        template += head[..<authorityStart].lowercased() + Self.authority(head[authorityStart..<pathStart])
      }
    } else {
      path = head
    }
    template +=
      path.isEmpty
      ? "/"
      : path.split(separator: "/", omittingEmptySubsequences: false).map(Self.segment)
        .joined(separator: "/")
    withoutQuery = template
    let query = withoutFragment.dropFirst(head.count + 1)
    if !query.isEmpty { template += "?" + Self.names(query) }
    text = template
  }

  /// What stands in a `data:` URL behind its media type is a body (RFC 2397).
  private static func dataURLEnd(of url: String) -> String.Index? {
    guard url.hasPrefix("data:"), let comma = url.firstIndex(of: ",") else { return nil }
    return url.index(after: comma)
  }

  // MARK: Authority

  private static func authorityStart(in text: Substring) -> Substring.Index? {
    guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { return nil }
    return text.index(colon, offsetBy: 3)
  }

  private static func authority(_ text: Substring) -> String {
    let host = text.lowercased().split(separator: "@").last ?? ""
    guard let colon = host.lastIndex(of: ":"), let port = UInt16(host[host.index(after: colon)...]) else { return String(host) }
    let name = host[..<colon]
    let isLoopback = name == "localhost" || name == "[::1]" || name.hasPrefix("127.")
    // Linux takes free ports from 32768 on: a server under test has another one in each run.
    return isLoopback && port >= 32_768 ? "\(name):{port}" : String(host)
  }

  // MARK: Path

  private static func segment(_ segment: Substring) -> String {
    // As a whole first: the parts of a UUID or a date would be numbers and words.
    FoldedName(whole: segment)?.placeholder ?? pieces(of: segment)
  }

  /// `order-77.json` is `order-{id}.json`.
  private static func pieces(of segment: Substring) -> String {
    var text = ""
    var piece = segment[segment.startIndex..<segment.startIndex]
    for index in segment.indices {
      if segment[index].isPieceSeparator {
        text += FoldedName(piece: piece)?.placeholder ?? String(piece)
        text.append(segment[index])
        piece = segment[segment.index(after: index)..<segment.index(after: index)]
      } else {
        piece = segment[piece.startIndex...index]
      }
    }
    return text + (FoldedName(piece: piece)?.placeholder ?? String(piece))
  }

  // MARK: Query

  private static func names(_ query: Substring) -> String {
    let names = query.split(separator: "&").map { pair in segment(pair.prefix { $0 != "=" }) }
    return Set(names).sorted().joined(separator: "&")
  }
}

extension Character {
  fileprivate var isPieceSeparator: Bool {
    "-_.~,;=:@!+".contains(self)
  }
}
