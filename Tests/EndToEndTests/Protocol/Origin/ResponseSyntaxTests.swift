import TapelineTestSupport
import Testing

extension EndToEnd {
  /// What of a response's head is mended, what is refused, and what is nobody's business.
  @Suite struct ResponseSyntax {
    /// The head of a response without content that came with `lines` as its status line and fields.
    private static func relayed(_ head: String, _ lines: [String], anomalies: [String]) throws {
      let exchange = try relaying([.expectRequest, .send(head), .expectEnd])
      let expected = (lines + ["Connection: close", "", ""]).joined(separator: "\r\n")
      #expect(exchange.text == expected)
      #expect(exchange.entry.tree["_anomalies"]?.elements.compactMap(\.string) ?? [] == anomalies)
    }

    @Test("RFC 9112 5.1: Blanks before the colon of a response's field are removed, and noted")
    func blankBeforeColon() throws {
      try Self.relayed(
        "HTTP/1.1 200 OK\r\nDate: now\r\nX-A : 1\r\nContent-Length \t: 0\r\n\r\n",
        ["HTTP/1.1 200 OK", "Date: now", "X-A: 1", "Content-Length: 0"],
        anomalies: ["Blanks stood between a field name and its colon (RFC 9112 5.1)."])
    }

    @Test("RFC 9112 5.2: A folded value of a response is joined by a space, and noted")
    func folding() throws {
      try Self.relayed(
        "HTTP/1.1 200 OK\r\nDate: now\r\nX-A: one\r\n two\r\n\t \tthree  \r\nContent-Length: 0\r\n\r\n",
        ["HTTP/1.1 200 OK", "Date: now", "X-A: one two three", "Content-Length: 0"],
        anomalies: ["A field value was folded over several lines (RFC 9112 5.2)."])
    }

    @Test("RFC 9112 2.2: Lines of a response that end with LF alone get CRLF, and are noted")
    func bareLineFeed() throws {
      try Self.relayed(
        "HTTP/1.1 200 OK\nDate: now\nX-A: 1\r\nContent-Length: 0\n\n",
        ["HTTP/1.1 200 OK", "Date: now", "X-A: 1", "Content-Length: 0"],
        anomalies: ["A line of the response head ended with a bare LF (RFC 9112 2.2)."])
    }

    @Test("RFC 9112 4: The space after the status code is sent even where no reason came")
    func reasons() throws {
      try Self.relayed(
        "HTTP/1.1 200\r\nDate: now\r\nContent-Length: 0\r\n\r\n", ["HTTP/1.1 200 ", "Date: now", "Content-Length: 0"],
        anomalies: ["No space followed the status code (RFC 9112 4)."])
      try Self.relayed(
        "HTTP/1.1 200 \r\nDate: now\r\nContent-Length: 0\r\n\r\n", ["HTTP/1.1 200 ", "Date: now", "Content-Length: 0"],
        anomalies: [])
      try Self.relayed(
        "HTTP/1.1 200  a \"b\" \u{E9} \r\nDate: now\r\nContent-Length: 0\r\n\r\n",
        ["HTTP/1.1 200  a \"b\" \u{E9} ", "Date: now", "Content-Length: 0"], anomalies: [])
    }

    @Test("RFC 9110 5.5: NUL in a response's head is refused")
    func nul() throws {
      try expectRefusals(vectors: "response-heads", "NUL")
    }

    @Test("RFC 9110 5.5: obs-text and controls other than NUL, CR and LF stay in a response's value as they came")
    func opaqueValues() throws {
      let head: [UInt8] =
        Array("HTTP/1.1 200 OK\r\nDate: now\r\nX: ".utf8) + [0x80, 0xFF, 0x01, 0x7F, 0x09, 0x41]
        + Array("\r\nContent-Length: 0\r\n\r\n".utf8)
      let exchange = try relaying([.expectRequest, .send(head), .expectEnd])
      let expected = head.dropLast(2) + Array("Connection: close\r\n\r\n".utf8)
      #expect(exchange.bytes == Array(expected))
    }

    @Test("RFC 9112 2.2: A bare CR in a response's head is refused")
    func bareCarriageReturn() throws {
      try expectRefusals(vectors: "response-heads", "bare CR")
    }

    @Test("RFC 9110 5.1: Field names of a response that are no tokens are refused")
    func fieldNames() throws {
      try expectRefusals(vectors: "response-heads", "field names")
    }

    @Test("RFC 9112 2.2: A response whose first field line begins with a blank is refused")
    func blankBeforeFields() throws {
      try expectRefusals(vectors: "response-heads", "blank before the first field")
    }

    @Test("RFC 9112 4: A malformed status line is refused")
    func statusLines() throws {
      try expectRefusals(vectors: "response-heads", "status lines")
    }

    @Test("RFC 9112 2.3: What begins no HTTP/1 response is refused at once, without waiting for its end")
    func otherProtocols() throws {
      try expectRefusals(vectors: "response-heads", "other protocols")
    }

    @Test("RFC 9112 2.3: A later minor version is read as HTTP/1.1, and ours is sent")
    func laterMinorVersion() throws {
      let exchange = try relaying([
        .expectRequest, .send("HTTP/1.9 200 OK\r\nDate: now\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"),
        .expectEnd,
      ])
      #expect(
        exchange.text
          == "HTTP/1.1 200 OK\r\nDate: now\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
          + "2\r\nok\r\n0\r\n\r\n")
    }

    @Test("RFC 9110 15: Status codes that nobody knows are forwarded with their reasons")
    func unknownStatuses() throws {
      let codes = [201, 299, 399, 418, 499, 599, 600, 999]
      let origin = try ScriptedOrigin([
        .forever([
          .answer { request in
            let code = request.startLine.split(separator: " ")[1].dropFirst()
            return Array("HTTP/1.1 \(code) Odd One\r\nDate: now\r\nContent-Length: 2\r\n\r\nok".utf8)
          }
        ])
      ])
      let recording = try recording { proxy in
        let client = try proxy.connect()
        for code in codes {
          try client.send(origin.absoluteRequest("/\(code)"))
          let response = try client.receiveResponse()
          #expect(response.text == "HTTP/1.1 \(code) Odd One\r\nDate: now\r\nContent-Length: 2\r\n\r\n")
          #expect(response.bodyText == "ok")
        }
      }
      #expect(recording.entries.map(\.status) == codes)
    }
  }
}
