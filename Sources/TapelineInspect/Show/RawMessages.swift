package import TapelineHAR

/// Both messages of an exchange as they are in the log, byte for byte: heads with HTTP line ends, bodies undecorated.
package enum RawMessages {
  package static func bytes(of entry: HAREntry) -> [UInt8] {
    var bytes = Array(MessageHeads.requestLine(entry.request).utf8)
    append(entry.request.headers, to: &bytes)
    append(RecordedBody(request: entry.request), to: &bytes)
    guard entry.response.status != 0 else { return bytes }
    if bytes.last != UInt8(ascii: "\n") { bytes += "\r\n".utf8 }
    bytes += MessageHeads.statusLine(entry.response).utf8
    append(entry.response.headers, to: &bytes)
    append(RecordedBody(response: entry.response), to: &bytes)
    return bytes
  }

  private static func append(_ headers: [HARHeader], to bytes: inout [UInt8]) {
    for header in headers { bytes += "\r\n\(header.name): \(header.value)".utf8 }
    bytes += "\r\n\r\n".utf8
  }

  private static func append(_ body: RecordedBody, to bytes: inout [UInt8]) {
    switch body {
    case .bytes(let body): bytes += body
    case .empty, .notRecorded, .inFile, .damaged: break
    }
  }
}
