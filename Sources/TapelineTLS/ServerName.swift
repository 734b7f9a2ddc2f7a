internal import TapelineText

/// Whom a client wants to reach: names are asked for and looked for in the certificate, addresses are only looked for.
enum ServerName: Hashable {
  /// Without the dot of the root.
  case name(String)
  case address(String)

  init(_ text: String) {
    if IPAddress(text) != nil {
      // A scope is this machine's business; no certificate has one.
      self = .address(text.firstIndex(of: "%").map { String(text[..<$0]) } ?? text)
    } else {
      self = .name(text.hasSuffix(".") ? String(text.dropLast()) : text)
    }
  }

  var text: String {
    switch self {
    case .name(let text), .address(let text): text
    }
  }
}
