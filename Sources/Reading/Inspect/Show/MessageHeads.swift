package import TapelineHAR

/// The heads of an exchange as they went over the wire: start line, then one line per field.
package enum MessageHeads {
  /// The head of the request, and of the response if there is one, with an empty line after each, as on the wire.
  package static func lines(of entry: HAREntry) -> [String] {
    request(entry.request) + [""] + (entry.response.status <= 0 ? [] : response(entry.response) + [""])
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

/// Both messages of an exchange as they are in the log, byte for byte: heads with HTTP line ends, bodies undecorated.
package enum RawMessages {
  package static func bytes(of entry: HAREntry) -> [UInt8] {
    var bytes = Array(MessageHeads.requestLine(entry.request).utf8)
    append(entry.request.headers, to: &bytes)
    append(LoggedBody(request: entry.request), to: &bytes)
    guard entry.response.status > 0 else { return bytes }
    if bytes.last != UInt8(ascii: "\n") { bytes += "\r\n".utf8 }
    bytes += MessageHeads.statusLine(entry.response).utf8
    append(entry.response.headers, to: &bytes)
    append(LoggedBody(response: entry.response), to: &bytes)
    return bytes
  }

  private static func append(_ headers: [HARHeader], to bytes: inout [UInt8]) {
    for header in headers { bytes += "\r\n\(header.name): \(header.value)".utf8 }
    bytes += "\r\n\r\n".utf8
  }

  private static func append(_ body: LoggedBody, to bytes: inout [UInt8]) {
    switch body {
    case .bytes(let body): bytes += body
    case .empty, .notRecorded, .inFile, .damaged: break
    }
  }
}
