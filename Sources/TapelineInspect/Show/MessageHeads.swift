package import TapelineHAR

/// The heads of an exchange as they went over the wire: start line, then one line per field.
package enum MessageHeads {
  /// The request's, and the response's when one came, with an empty line after each, as on the wire.
  package static func lines(of entry: HAREntry) -> [String] {
    request(entry.request) + [""] + (entry.response.status == 0 ? [] : response(entry.response) + [""])
  }

  private static func request(_ request: HARRequest) -> [String] {
    ["\(request.method) \(request.url) \(request.httpVersion)".printable] + request.headers.map(field)
  }

  private static func response(_ response: HARResponse) -> [String] {
    ["\(response.httpVersion) \(response.status) \(response.statusText)".printable] + response.headers.map(field)
  }

  private static func field(_ header: HARHeader) -> String {
    "\(header.name): \(header.value)".printable
  }
}
