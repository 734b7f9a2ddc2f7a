package import TapelineHAR

// The method CONNECT asks for a tunnel (RFC 9110 9.3.6), or opens a WebSocket over HTTP/2 (RFC 8441 4).

extension HARRequest {
  /// Whether the request asks for a tunnel. Protocols other than WebSocket are tunnels, too: their bytes are not read.
  package var asksForTunnel: Bool { method == "CONNECT" && !opensWebSocketOverHTTP2 }

  /// Whether the request is an extended CONNECT for a WebSocket.
  var opensWebSocketOverHTTP2: Bool {
    guard method == "CONNECT" else { return false }
    let fields = custom[.pseudo]?.array ?? []
    return fields.contains { $0["name"]?.string == ":protocol" && $0["value"]?.string?.lowercased() == "websocket" }
  }
}

extension HAREntry {
  /// A tunnel that was established. A tunnel that failed is a failed exchange like any other.
  var isOpenTunnel: Bool { request.asksForTunnel && (200..<300).contains(response.status) }

  /// Whether the exchange went on as a WebSocket, or in another protocol.
  var hasSwitchedProtocols: Bool {
    response.status == 101 || request.opensWebSocketOverHTTP2 && (200..<300).contains(response.status)
  }
}
