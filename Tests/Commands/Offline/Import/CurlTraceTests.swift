internal import TapelineCore
internal import TapelineHTTP
@testable import TapelineOffline
internal import TapelineTime
internal import Testing

@Suite struct CurlTraceReading {
  @Test(arguments: [CurlTraces.hexadecimal, CurlTraces.ascii, CurlTraces.interleaved])
  func aTraceSplitAnywhereYieldsTheSameEvents(trace: String) {
    let whole = CurlTraces.events(in: trace)
    #expect(whole.count >= 8)
    for split in 0..<trace.utf8.count { #expect(CurlTraces.events(in: trace, splitAt: split) == whole, "at \(split)") }
  }

  @Test func aDumpOfTextRestoresTheLineEnds() {
    let data = CurlTraces.events(in: CurlTraces.ascii).compactMap {
      if case .sentHead(let bytes) = $0.kind { bytes } else { nil }
    }
    #expect(data == [Array("GET /c HTTP/1.1\r\nHost: localhost:80\r\n\r\n".utf8)])
  }

  /// 64 bytes fill a line. Two bytes after them are in a line of their own, unless they are CRLF.
  @Test(arguments: [("0040: ab\n", "ab"), ("", "\r\n")]) func aFullLineMayHideALineEnd(more: String, end: String) {
    let digits = String(repeating: "0123456789abcdef", count: 4)
    let trace = "06:15:00.000001 <= Recv data, 66 bytes (0x42)\n0000: \(digits)\n\(more)06:15:00.000002 == Info: x\n"
    #expect(CurlTraces.events(in: trace).first?.kind == .receivedData(.bytes(Array((digits + end).utf8))))
  }

  @Test func otherOutputIsSkipped() {
    let trace = "<html>\n* not curl's\n> quoted\n100   5  100  06:15:00.000001 * Trying 192.0.2.1:80...\n0000: 41\n"
    let times = CurlTraces.events(in: trace).filter { $0.timeOfDay != nil }
    #expect(times.map(\.kind) == [.info("Trying 192.0.2.1:80...")])
  }

  @Test func bytesThatAreNoTraceYieldNothing() {
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<20_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    var reader = CurlTraceReader()
    var count = 0
    reader.feed(bytes.span) { event, _ in if event.timeOfDay != nil { count += 1 } }
    reader.finish { event, _ in if event.timeOfDay != nil { count += 1 } }
    #expect(count == 0)
  }
}

@Suite struct CurlExchanges {
  @Test func chunksAreUndoneAndPhasesAreThoseOfTheLines() throws {
    let exchange = try #require(CurlTraces.exchanges(in: CurlTraces.hexadecimal).first)
    #expect(exchange.url == "GET /c")
    #expect(exchange.text == "hello\n")
    #expect(exchange.record.failure == nil)
    #expect(exchange.record.server?.address == "127.0.0.1")
    #expect(exchange.distance(.connectStart, .connectEnd) == 618)
    #expect(exchange.distance(.sentLast, .responseFirstByte) == 2_009)
    #expect(exchange.distance(.responseFirstByte, .responseLastByte) == 45_254)
    #expect(exchange.distance(.dnsStart, .dnsEnd) == nil)
  }

  @Test func transfersAtOnceAreToldApartByTheirNumbers() throws {
    let exchanges = CurlTraces.exchanges(in: CurlTraces.interleaved)
    #expect(exchanges.map(\.url) == ["GET https://a.test/f?q=1", "GET /slow"])
    let (secure, clear) = (exchanges[0], exchanges[1])
    #expect(secure.record.request?.version == .http2)
    #expect(secure.record.http2?.stream?.id == 1)
    #expect(secure.record.serverTLS?.version == "TLSv1.3")
    #expect(secure.record.serverTLS?.applicationProtocol == "h2")
    #expect(secure.distance(.tlsStart, .tlsEnd) == 20_000)
    #expect(secure.distance(.connectStart, .connectEnd) == 10_800)
    #expect(secure.record.responseBody.size == 5)
    #expect(secure.record.responseBody.bytes.isEmpty)
    #expect(clear.record.response?.status == 204)
    #expect(clear.record.failure == nil)
  }

  @Test func midnightEndsADay() throws {
    let exchanges = CurlTraces.exchanges(in: CurlTraces.interleaved)
    #expect(exchanges[1].distance(.sentLast, .responseFirstByte) == 579_900)
  }

  /// Curl 7.88 writes no empty line after `100 Continue`.
  @Test func anInterimResponseIsKeptApart() throws {
    let trace = """
      06:15:00.694378 *   Trying 127.0.0.1:18999...
      06:15:00.694962 * Connected to localhost (127.0.0.1) port 18999 (#0)
      06:15:00.695045 > PUT /r HTTP/1.1
      06:15:00.695045 > Host: localhost:18999
      06:15:00.695045 > Content-Length: 5120
      06:15:00.695045 > Expect: 100-continue
      06:15:00.695045 > 
      06:15:00.695659 < HTTP/1.1 100 Continue
      06:15:00.695888 } [5120 bytes data]
      06:15:00.695958 * We are completely uploaded and fine
      06:15:00.696088 < HTTP/1.1 200 OK
      06:15:00.696801 < Content-Length: 0
      06:15:00.696802 < 
      06:15:00.736408 * Connection #0 to host localhost left intact

      """
    let exchange = try #require(CurlTraces.exchanges(in: trace).first)
    #expect(exchange.record.informational.map(\.status) == [100])
    #expect(exchange.record.response?.status == 200)
    #expect(exchange.record.failure == nil)
    #expect(exchange.record.requestBody.size == 5_120)
    #expect(exchange.distance(.sentFirst, .sentLast) == 913)
    #expect(exchange.distance(.sentLast, .responseFirstByte) == 130)
  }

  @Test func aTunnelIsAPartOfTheExchangeThatPaidForIt() throws {
    let trace = """
      06:15:00.000000 *   Trying 127.0.0.1:3128...
      06:15:00.001000 * Connected to 127.0.0.1 (127.0.0.1) port 3128 (#0)
      06:15:00.002000 > CONNECT a.test:443 HTTP/1.1
      06:15:00.002000 > Host: a.test:443
      06:15:00.002000 > 
      06:15:00.005000 < HTTP/1.1 200 Connection established
      06:15:00.005000 < 
      06:15:00.005100 * CONNECT phase completed
      06:15:00.006000 * TLSv1.3 (OUT), TLS handshake, Client hello (1):
      06:15:00.016000 * SSL connection using TLSv1.3 / TLS_AES_128_GCM_SHA256
      06:15:00.017000 > GET /x HTTP/1.1
      06:15:00.017000 > Host: a.test
      06:15:00.017000 > 
      06:15:00.020000 < HTTP/1.1 204 No Content
      06:15:00.020000 < 
      06:15:00.020100 * Connection #0 to host 127.0.0.1 left intact

      """
    let exchanges = CurlTraces.exchanges(in: trace)
    #expect(exchanges.map(\.url) == ["GET https://a.test/x"])
    #expect(exchanges[0].record.server?.proxy == "127.0.0.1:3128")
    #expect(exchanges[0].distance(.proxyConnectStart, .proxyConnectEnd) == 3_000)
    #expect(exchanges[0].distance(.tlsStart, .tlsEnd) == 10_000)
  }

  @Test(arguments: [
    ("* Could not resolve host: nope.invalid", "name-not-found", "dns"),
    ("* Failed to connect to 192.0.2.1 port 1 after 0 ms: Couldn't connect to server", "refused", "connect"),
  ]) func aFailureBeforeARequestIsAnEntry(line: String, kind: String, phase: String) throws {
    let first = phase == "dns" ? "" : "06:15:00.000000 *   Trying 192.0.2.1:1...\n"
    let trace = "\(first)06:15:00.100000 \(line)\n06:15:00.100100 * Closing connection 0\n"
    let exchange = try #require(CurlTraces.exchanges(in: trace).first)
    #expect(exchange.record.request == nil)
    #expect(exchange.record.failure?.kind.name == kind)
    #expect(exchange.record.failure?.phase.rawValue == phase)
  }

  @Test func aResponseThatIsCutHasFailed() throws {
    let cut = CurlTraces.ascii.replacing(
      "66 bytes (0x42)\n0000: 0123456789abcdef", with: "65 bytes (0x41)\n0000: 0123456789abcdef"
    )
    .replacing(
      "Connection #0 to host localhost left intact", with: "transfer closed with 1 bytes remaining to read\n06:15:00.5 x")
    let exchange = try #require(CurlTraces.exchanges(in: cut).first)
    #expect(exchange.record.failure?.kind.name == "closed")
    #expect(exchange.record.failure?.phase == .receive)
    #expect(exchange.record.response?.status == 200)
  }

  /// Nothing that a trace says may end the program.
  @Test func anyDamageIsSurvived() {
    let bytes = Array(CurlTraces.hexadecimal.utf8)
    for place in stride(from: 0, to: bytes.count, by: 3) {
      for byte: UInt8 in [0, 0x0A, 0x20, 0x39, 0xFF] {
        var damaged = bytes
        damaged[place] = byte
        let count = CurlTraces.exchanges(in: String(decoding: damaged, as: UTF8.self)).count
        #expect(count <= 2)
      }
    }
  }
}
