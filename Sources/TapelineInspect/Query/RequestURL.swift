/// The parts of an absolute URL that people ask for, without unescaping anything.
struct RequestURL: Hashable, Sendable {
  private let schemeText: Substring
  private let hostText: Substring
  private let portText: Substring
  private let pathText: Substring

  /// `nil` when the text is no absolute URL.
  init?(_ text: String) {
    let bytes = text.utf8
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else { return nil }
    schemeText = text[..<colon]
    let start = bytes.index(colon, offsetBy: 3)
    let end = bytes[start...].firstIndex(where: Self.endsAuthority) ?? bytes.endIndex
    let hostStart = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")).map(bytes.index(after:)) ?? start
    let pathEnd = bytes[end...].firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? bytes.endIndex
    pathText = text[end..<pathEnd]
    let isBracketed = bytes[hostStart..<end].first == UInt8(ascii: "[")
    let authority = bytes[hostStart..<end]
    let hostEnd = (isBracketed ? authority.firstIndex(of: UInt8(ascii: "]")) : authority.lastIndex(of: UInt8(ascii: ":"))) ?? end
    hostText = text[(isBracketed ? bytes.index(after: hostStart) : hostStart)..<hostEnd]
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

  private static func endsAuthority(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
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
