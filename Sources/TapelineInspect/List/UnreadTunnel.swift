internal import TapelineHAR

/// Why a tunnel in a log was not read.
struct UnreadTunnel {
  /// The log's word for it.
  let reason: String

  /// `nil` if the entry is not an unread tunnel.
  init?(_ entry: HAREntry) {
    guard let reason = entry.custom["_tunnel"]?["unread"]?.string, !reason.isEmpty else { return nil }
    self.reason = reason
  }

  var sentence: String {
    switch reason {
    case "pinned": "the client refuses our certificate"
    case "h2-only": "the client offers no protocol that is decrypted"
    case "not-tls": "what passed was neither TLS nor HTTP"
    case "passed-through": "the host was to be left alone"
    case "not-intercepted": "nothing was decrypted in this recording"
    case let other: other.printable
    }
  }
}
