package import TapelineHAR

/// The heads of an exchange as they went over the wire: start line, then one line per field.
package enum MessageHeads {
  /// The head of the request, and of the response if there is one, with an empty line after each, as on the wire.
  package static func lines(of entry: HAREntry) -> [String] {
    request(entry.request) + [""] + (entry.response.status == 0 ? [] : response(entry.response) + [""])
  }

  static func request(_ request: HARRequest, palette: Palette = Palette(isColored: false)) -> [String] {
    [palette.apply(.bold, to: requestLine(request).printable)] + request.headers.map { field($0, palette) }
  }

  static func response(_ response: HARResponse, palette: Palette = Palette(isColored: false)) -> [String] {
    [palette.apply(.bold, to: statusLine(response).printable)] + response.headers.map { field($0, palette) }
  }

  static func requestLine(_ request: HARRequest) -> String {
    "\(request.method) \(request.url) \(request.httpVersion)"
  }

  /// HTTP/2 has no reason phrase, and some logs have no version.
  static func statusLine(_ response: HARResponse) -> String {
    [response.httpVersion, String(response.status), response.statusText].filter { !$0.isEmpty }.joined(separator: " ")
  }

  private static func field(_ header: HARHeader, _ palette: Palette) -> String {
    palette.apply(.cyan, to: header.name.printable) + ": " + header.value.printable
  }
}
