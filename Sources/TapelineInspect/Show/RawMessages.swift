package import TapelineHAR

/// Both messages of an exchange as they are in the log, octet for octet: heads with the line ends of HTTP, bodies undecorated.
package enum RawMessages {
  package static func octets(of entry: HAREntry) -> [UInt8] {
    var octets = Array(MessageHeads.requestLine(entry.request).utf8)
    append(entry.request.headers, to: &octets)
    append(RecordedBody(request: entry.request), to: &octets)
    guard entry.response.status != 0 else { return octets }
    if octets.last != UInt8(ascii: "\n") { octets += "\r\n".utf8 }
    octets += MessageHeads.statusLine(entry.response).utf8
    append(entry.response.headers, to: &octets)
    append(RecordedBody(response: entry.response), to: &octets)
    return octets
  }

  private static func append(_ headers: [HARHeader], to octets: inout [UInt8]) {
    for header in headers { octets += "\r\n\(header.name): \(header.value)".utf8 }
    octets += "\r\n\r\n".utf8
  }

  private static func append(_ body: RecordedBody, to octets: inout [UInt8]) {
    switch body {
    case .octets(let body): octets += body
    case .empty, .notRecorded, .inFile, .damaged: break
    }
  }
}
