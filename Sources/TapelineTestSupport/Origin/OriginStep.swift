/// The next step of a scripted origin on one connection.
package enum OriginStep: Sendable {
  /// Waits for a head, up to its empty line.
  case expectHead
  /// Waits for a head and the body that its fields announce; answers `Expect: 100-continue` on the way.
  case expectRequest
  /// Waits for this many bytes.
  case expect(bytes: Int)
  /// Waits until the peer ends its side, by FIN or RST.
  case expectEnd
  case send([UInt8])
  /// Waits: the server's slowness is part of the script.
  case delay(milliseconds: Int)
  /// Sends FIN and goes on receiving.
  case halfClose
  case close
  /// Closes with RST.
  case reset
  /// Repeats the steps until the peer ends its side between two rounds.
  case forever([OriginStep])
  /// Waits for a whole request and sends the response that the closure makes for it.
  case answer(@Sendable (RawMessage) -> [UInt8])
  /// Runs any other code, on the connection's own thread.
  case run(@Sendable (OriginConnection) throws -> Void)

  package static func send(_ text: String) -> OriginStep {
    .send(Array(text.utf8))
  }

  /// A whole response with a length.
  package static func respond(_ status: String = "200 OK", fields: [String] = [], body: String = "") -> OriginStep {
    respond(status, fields: fields, body: Array(body.utf8))
  }

  package static func respond(_ status: String = "200 OK", fields: [String] = [], body: [UInt8]) -> OriginStep {
    let lines = ["HTTP/1.1 \(status)"] + fields + ["Content-Length: \(body.count)", "", ""]
    return .send(Array(lines.joined(separator: "\r\n").utf8) + body)
  }

  /// A whole response, sent in pieces with `milliseconds` between them.
  package static func respond(inPieces pieces: [[UInt8]], every milliseconds: Int) -> [OriginStep] {
    let length = pieces.map(\.count).reduce(0, +)
    let head = Array("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n".utf8)
    return [.send(head + (pieces.first ?? []))] + pieces.dropFirst().flatMap { [.delay(milliseconds: milliseconds), .send($0)] }
  }
}
