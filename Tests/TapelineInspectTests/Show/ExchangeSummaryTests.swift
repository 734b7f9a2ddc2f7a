import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Exchange summary")
struct ExchangeSummaryTests {
  private func text(_ entry: HAREntry, isColored: Bool = false) -> String {
    ExchangeSummary(number: 3, entry: entry, palette: Palette(isColored: isColored)).lines.joined(separator: "\n")
  }

  @Test("An exchange that went well")
  func ordinary() {
    #expect(
      text(.ordinary()) == """
        #3 GET http://example.com/a?b=1
        started   2026-01-02T03:04:05.678901Z
        status    200 OK (HTTP/1.1)
        server    192.0.2.1:80 (new connection)
        request   head 60 B, body 0 B
        response  head 120 B, body 5 B, text/plain

        timings
          blocked       1.000 ms  ━
          dns           2.000 ms  ━
          connect      30.456 ms  ━━━━━━━━━━
            ssl                -
          send          0.500 ms            ━
          wait         80.000 ms             ━━━━━━━━━━━━━━━━━━━━━━━━━━
          receive       9.500 ms                                      ━━━
          total       123.456 ms
        """)
  }

  @Test("A refused connection")
  func refused() {
    #expect(
      text(.refused()) == """
        #3 GET http://example.com/a?b=1
        started   2026-01-02T03:04:05.678901Z
        status    none from the server; the proxy answered 502
        failure   upstream refused in connect: Connection refused
        server    192.0.2.1:80 (new connection)
        request   head 60 B, body 0 B

        timings
          blocked       1.000 ms  ━━━━━━━━━━
          dns                  -
          connect       3.000 ms            ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━
            ssl                -
          send          0.000 ms
          wait          0.000 ms
          receive       0.000 ms
          total         4.000 ms
        """)
  }

  @Test("A reused connection, an IPv6 server, decoded content, a body that was sent")
  func variations() {
    var entry = HAREntry.ordinary()
    entry.timings.connect = -1
    entry.serverIPAddress = "2001:db8::1"
    entry.custom["_serverPort"] = 8_080
    entry.request.postData = HARPostData(mimeType: "application/json", text: "{}")
    entry.request.bodySize = 2
    entry.response.content.size = 4_096
    let text = text(entry)
    #expect(text.contains("server    [2001:db8::1]:8080 (reused connection)"))
    #expect(text.contains("request   head 60 B, body 2 B, application/json"))
    #expect(text.contains("body 5 B (4.0 KiB decoded), text/plain"))
  }

  @Test("Nothing recorded can drive the terminal")
  func controls() {
    var entry = HAREntry.refused()
    entry.request.url = "http://h/\u{1B}[2J"
    entry.startedDateTime = "\u{1B}c"
    entry.serverIPAddress = "\u{9B}"
    entry.custom["_error"] = "\u{1B}]0;x\u{7}"
    entry.request.postData = HARPostData(mimeType: "\u{1B}")
    #expect(!text(entry).unicodeScalars.contains { $0 != "\n" && ($0.value < 0x20 || (0x7F...0x9F).contains($0.value)) })
  }

  @Test("Colour adds nothing but escape sequences")
  func color() {
    #expect(text(.refused(), isColored: true).replacing(/\u{1B}\[[0-9]*m/, with: "") == text(.refused()))
  }
}
