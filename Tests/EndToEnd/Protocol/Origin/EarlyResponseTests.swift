import TapelineTestSupport
import Testing

extension EndToEnd {
  /// A final response that comes before the request is complete.
  @Suite struct EarlyResponses {
    private static let refusal = "HTTP/1.1 413 Content Too Large\r\nDate: now\r\nContent-Length: 8\r\n\r\ntoo much"

    @Test(
      "RFC 9112 9.5: A final response before the end of the upload is forwarded at once, and the connection ends with the origin's"
    )
    func forwardedAtOnce() throws {
      let origin = try ScriptedOrigin([.expectHead, .send(Self.refusal), .halfClose, .expectEnd])
      let recording = try recording { proxy in
        let client = try proxy.request(
          origin.absoluteRequest("/big", method: "POST", lines: ["Content-Length: 1000000"]) + "first part")
        // Nothing more is sent: what comes does not wait for it.
        let (bytes, end) = try client.receiveToEnd()
        #expect(String(decoding: bytes, as: UTF8.self) == Self.refusal)
        #expect(end == .closed)
        client.close()
        _ = try origin.waitForFinished(1)
      }
      let entry = try recording.entry("/big")
      #expect(entry.status == 413)
      #expect(entry.error == nil && entry.request?["_endedBy"]?.string == "server")
    }

    @Test("RFC 9112 9.6: A client that goes on uploading 64 MiB still gets the early response", arguments: ["length", "chunked"])
    func bigUpload(framing: String) throws {
      let size = 64 << 20
      let origin = try ScriptedOrigin([.expectHead, .send(Self.refusal), .halfClose, .expectEnd])
      _ = try recording { proxy in
        let lines = framing == "length" ? ["Content-Length: \(size)"] : ["Transfer-Encoding: chunked"]
        let client = try proxy.request(origin.absoluteRequest("/big", method: "PUT", lines: lines))
        let piece = [UInt8](repeating: 97, count: 1 << 20)
        do {
          for _ in 0..<size >> 20 {
            if framing == "chunked" { try client.send("100000\r\n") }
            try client.send(piece)
            if framing == "chunked" { try client.send("\r\n") }
          }
        } catch let error as TestSupportError {
          // The connection was closed under the upload, as it may be once the response is here.
          guard case .system(call: "send", code: _) = error else { throw error }
        }
        #expect(String(decoding: try client.receiveToEnd().bytes, as: UTF8.self) == Self.refusal)
      }
    }

    @Test("RFC 9112 9.6: An origin that answers early and resets the connection under the upload has answered")
    func resetUnderTheUpload() throws {
      let origin = try ScriptedOrigin([.expectHead, .send(Self.refusal), .close])
      let recording = try recording { proxy in
        for number in 0..<10 {
          let client = try proxy.request(
            origin.absoluteRequest("/\(number)", method: "PUT", lines: ["Content-Length: 1000000"])
              + String(repeating: "a", count: 200_000))
          #expect(String(decoding: try client.receiveToEnd().bytes, as: UTF8.self) == Self.refusal)
        }
      }
      #expect(recording.entries.map(\.status) == Array(repeating: 413, count: 10))
    }

    @Test("RFC 9112 9.5: An upload and a download that overlap are both relayed whole")
    func fullDuplex() throws {
      let piece = patternedBytes(100_000)
      let origin = try ScriptedOrigin([
        .expectHead, .send("HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 1000000\r\n\r\n"),
        .run { connection in
          for _ in 0..<10 { try connection.send(connection.receive(exactly: 100_000)) }
        }, .expectEnd,
      ])
      let recording = try recording { proxy in
        let client = try proxy.request(origin.absoluteRequest("/echo", method: "POST", lines: ["Content-Length: 1000000"]))
        #expect(try client.receiveHead().status == 200)
        for _ in 0..<10 {
          try client.send(piece)
          #expect(try client.receive(exactly: piece.count) == piece)
        }
      }
      let entry = try recording.entry("/echo")
      #expect(entry.error == nil)
      #expect(entry.requestBodySize == 1_000_000)
      #expect(entry.responseBodySize == 1_000_000)
    }
  }
}
