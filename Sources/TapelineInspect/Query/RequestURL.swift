/// The parts of an absolute URL that people ask for, without unescaping anything.
struct RequestURL: Hashable, Sendable {
  /// In lower case.
  let scheme: String
  /// In lower case, without brackets; as they stand, without userinfo.
  let host: String
  /// The default of http and https where none is written.
  let port: Int?
  /// Up to the query; `/` when empty.
  let path: String

  /// `nil` when the text is no absolute URL.
  init?(_ text: String) {
    guard let schemeEnd = text.range(ofFirst: "://") else { return nil }
    scheme = text[..<schemeEnd.lowerBound].lowercased()
    let rest = text[schemeEnd.upperBound...]
    let authorityEnd = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
    var authority = rest[..<authorityEnd]
    if let at = authority.lastIndex(of: "@") { authority = authority[authority.index(after: at)...] }
    let pathText = rest[authorityEnd...].prefix { $0 != "?" && $0 != "#" }
    path = pathText.isEmpty ? "/" : String(pathText)
    let isBracketed = authority.first == "["
    let hostEnd = isBracketed ? authority.firstIndex(of: "]") : authority.lastIndex(of: ":")
    let hostText = authority[..<(hostEnd ?? authority.endIndex)]
    host = (isBracketed ? hostText.dropFirst() : hostText).lowercased()
    let portText = hostEnd.map { authority[$0...].drop { $0 == "]" || $0 == ":" } } ?? ""
    port = portText.isEmpty ? Self.defaultPorts[scheme] : Int(portText)
  }

  private static let defaultPorts = ["http": 80, "ws": 80, "https": 443, "wss": 443]
}

extension String {
  fileprivate func range(ofFirst text: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
      start = index(after: start)
    }
    return nil
  }
}
