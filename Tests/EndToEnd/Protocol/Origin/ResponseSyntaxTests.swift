import TapelineTestSupport
import Testing

extension EndToEnd {
  /// What of a response's head is mended, what is refused, and what is nobody's business.
  @Suite struct ResponseSyntax {
    @Test("RFC 9112 5.1: Blanks before the colon of a response's field are removed, and noted")
    func blankBeforeColon() throws {
      try expectRelayed(vectors: "response-heads", "blanks before the colon")
    }

    @Test("RFC 9112 5.2: A folded value of a response is joined by a space, and noted")
    func folding() throws {
      try expectRelayed(vectors: "response-heads", "folding")
    }

    @Test("RFC 9112 2.2: Lines of a response that end with LF alone get CRLF, and are noted")
    func bareLineFeed() throws {
      try expectRelayed(vectors: "response-heads", "bare LF")
    }

    @Test("RFC 9112 4: The space after the status code is sent even where no reason came")
    func reasons() throws {
      try expectRelayed(vectors: "response-heads", "reasons")
    }

    @Test("RFC 9110 5.5: NUL in a response's head is refused")
    func nul() throws {
      try expectRefusals(vectors: "response-heads", "NUL")
    }

    @Test("RFC 9110 5.5: obs-text and controls other than NUL, CR and LF stay in a response's value as they came")
    func opaqueValues() throws {
      try expectRelayed(vectors: "response-heads", "values")
    }

    @Test("RFC 9112 2.2: A bare CR in a response's head is refused")
    func bareCarriageReturn() throws {
      try expectRefusals(vectors: "response-heads", "bare CR")
    }

    @Test("RFC 9110 5.1: Field names of a response that are no tokens are passed on where all readers agree, and noted")
    func fieldNames() throws {
      try expectRefusals(vectors: "response-heads", "field names")
      try expectRelayed(vectors: "response-heads", "odd names")
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
      try expectRelayed(vectors: "response-heads", "later versions")
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
