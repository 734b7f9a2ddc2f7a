internal import TapelineText

/// The server that a client wants to reach. We send a name to the server and check it against the certificate; we only check an
/// address.
enum ServerName: Hashable {
  /// Without the trailing dot of the root.
  case name(String)
  case address(String)

  init(_ text: String) {
    if IPAddress(text) != nil {
      // A scope is valid on this machine only; no certificate contains one.
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
