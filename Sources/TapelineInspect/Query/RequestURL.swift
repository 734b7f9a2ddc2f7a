/// The parts of an absolute URL that people ask for, without unescaping anything.
struct RequestURL: Hashable, Sendable {
  private let schemeText: Substring
  private let hostText: Substring
  private let portText: Substring
  private let pathText: Substring

  /// `nil` when the text is no absolute URL.
  init?(_ text: String) {
    let octets = text.utf8
    guard let colon = octets.firstIndex(of: UInt8(ascii: ":")), octets[colon...].starts(with: "://".utf8) else { return nil }
    schemeText = text[..<colon]
    let start = octets.index(colon, offsetBy: 3)
    let end = octets[start...].firstIndex(where: Self.endsAuthority) ?? octets.endIndex
    let hostStart = octets[start..<end].lastIndex(of: UInt8(ascii: "@")).map(octets.index(after:)) ?? start
    let pathEnd = octets[end...].firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? octets.endIndex
    pathText = text[end..<pathEnd]
    let isBracketed = octets[hostStart..<end].first == UInt8(ascii: "[")
    let authority = octets[hostStart..<end]
    let hostEnd = (isBracketed ? authority.firstIndex(of: UInt8(ascii: "]")) : authority.lastIndex(of: UInt8(ascii: ":"))) ?? end
    hostText = text[(isBracketed ? octets.index(after: hostStart) : hostStart)..<hostEnd]
    portText = text[hostEnd..<end].drop { $0 == "]" || $0 == ":" }
  }

  /// In lower case.
  var scheme: String { schemeText.lowercase }
  /// In lower case, without brackets; as it stands, without userinfo.
  var host: String { hostText.lowercase }
  /// The default of http and https where none is written.
  var port: Int? { portText.isEmpty ? Self.defaultPorts[scheme] : Int(portText) }
  /// Up to the query; `/` when empty.
  var path: String { pathText.isEmpty ? "/" : String(pathText) }

  private static func endsAuthority(_ octet: UInt8) -> Bool {
    octet == UInt8(ascii: "/") || octet == UInt8(ascii: "?") || octet == UInt8(ascii: "#")
  }

  private static let defaultPorts = ["http": 80, "ws": 80, "https": 443, "wss": 443]
}

extension Substring {
  /// Nearly always it is in lower case already.
  fileprivate var lowercase: String {
    let isLowercase = utf8.allSatisfy { $0 < 0x80 && !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    return isLowercase ? String(self) : lowercased()
  }
}
