internal import TapelineCore
@testable import TapelineOffline
internal import TapelineBase
internal import TapelineTime

/// Reads a trace in pieces, and gives away its exchanges.
enum CurlTraces {
  static let day = CivilDate(year: 2026, month: 1, day: 2)

  static func events(in text: String, splitAt split: Int? = nil) -> [CurlEvent] {
    let bytes = Array(text.utf8)
    var reader = CurlTraceReader()
    var events: [CurlEvent] = []
    let place = split ?? bytes.count
    reader.feed(bytes.span.extracting(0..<place)) { event, _ in events.append(event) }
    reader.feed(bytes.span.extracting(place..<bytes.count)) { event, _ in events.append(event) }
    reader.finish { event, _ in events.append(event) }
    return events
  }

  static func exchanges(in text: String) -> [ImportedExchange] {
    let bytes = Array(text.utf8)
    var reader = CurlTraceReader()
    var clock = CurlClock(firstDay: day)
    var transfers = CurlTransfers(bodyLimit: 1 << 20)
    var found: [ImportedExchange] = []
    var last: CurlDetail?
    func take(_ event: CurlEvent, _ detail: CurlDetail?) {
      last = detail
      guard let time = event.timeOfDay else { return }
      transfers.handle(event, at: clock.instant(of: time), detail) { found.append($0) }
    }
    reader.feed(bytes.span, take)
    reader.finish(take)
    transfers.finish(last) { found.append($0) }
    return found
  }

  /// What curl 7.88 writes for `--trace-time --trace` with a body in chunks.
  static let hexadecimal = """
    06:15:00.448028 == Info:   Trying 127.0.0.1:18999...
    06:15:00.448646 == Info: Connected to localhost (127.0.0.1) port 18999 (#0)
    06:15:00.448915 => Send header, 39 bytes (0x27)
    0000: 47 45 54 20 2f 63 20 48 54 54 50 2f 31 2e 31 0d GET /c HTTP/1.1.
    0010: 0a 48 6f 73 74 3a 20 6c 6f 63 61 6c 68 6f 73 74 .Host: localhost
    0020: 3a 38 30 0d 0a 0d 0a                            :80....
    06:15:00.450924 <= Recv header, 17 bytes (0x11)
    0000: 48 54 54 50 2f 31 2e 31 20 32 30 30 20 4f 4b 0d HTTP/1.1 200 OK.
    0010: 0a                                              .
    06:15:00.451940 <= Recv header, 28 bytes (0x1c)
    0000: 54 72 61 6e 73 66 65 72 2d 45 6e 63 6f 64 69 6e Transfer-Encodin
    0010: 67 3a 20 63 68 75 6e 6b 65 64 0d 0a             g: chunked..
    06:15:00.451954 <= Recv header, 2 bytes (0x2)
    0000: 0d 0a                                           ..
    06:15:00.496178 <= Recv data, 16 bytes (0x10)
    0000: 36 0d 0a 68 65 6c 6c 6f 0a 0d 0a 30 0d 0a 0d 0a 6..hello...0....
    06:15:00.496300 == Info: Connection #0 to host localhost left intact

    """

  /// The same for `--trace-ascii`, by its rules: a line ends with CRLF in the data, or after 64 bytes.
  static let ascii = """
    06:15:00.448028 == Info:   Trying 127.0.0.1:18999...
    06:15:00.448646 == Info: Connected to localhost (127.0.0.1) port 18999 (#0)
    06:15:00.448915 => Send header, 39 bytes (0x27)
    0000: GET /c HTTP/1.1
    0011: Host: localhost:80
    0025: 
    06:15:00.450924 <= Recv header, 17 bytes (0x11)
    0000: HTTP/1.1 200 OK
    06:15:00.451940 <= Recv header, 20 bytes (0x14)
    0000: Content-Length: 66
    06:15:00.451954 <= Recv header, 2 bytes (0x2)
    0000: 
    06:15:00.496178 <= Recv data, 66 bytes (0x42)
    0000: 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
    06:15:00.496300 == Info: Connection #0 to host localhost left intact

    """

  /// Two transfers at once by curl 8 with `-v --trace-time --trace-ids -Z`, and the bodies on the same stream.
  static let interleaved = """
    23:59:59.900000 [0-x] * Host a.test:443 was resolved.
    23:59:59.900100 [0-x] * IPv4: 192.0.2.1
    23:59:59.900200 [0-0] *   Trying 192.0.2.1:443...
    23:59:59.900300 [1-x] * Host b.test:80 was resolved.
    23:59:59.900400 [1-1] *   Trying 192.0.2.2:80...
    23:59:59.910000 [0-0] * ALPN: curl offers h2,http/1.1
    23:59:59.911000 [0-0] * TLSv1.3 (OUT), TLS handshake, Client hello (1):
    23:59:59.920000 [1-1] * Established connection to b.test (192.0.2.2 port 80) from 192.0.2.9 port 50001 
    23:59:59.920100 [1-1] > GET /slow HTTP/1.1
    23:59:59.920100 [1-1] > Host: b.test
    23:59:59.920100 [1-1] > 
    23:59:59.931000 [0-0] * TLSv1.3 (OUT), TLS handshake, Finished (20):
    23:59:59.931500 [0-0] * SSL connection using TLSv1.3 / TLS_AES_256_GCM_SHA384 / X25519 / RSASSA-PSS
    23:59:59.931600 [0-0] * ALPN: server accepted h2
    23:59:59.932000 [0-0] * Established connection to a.test (192.0.2.1 port 443) from 192.0.2.9 port 50000 
    23:59:59.932100 [0-0] * using HTTP/2
    23:59:59.932200 [0-0] * [HTTP/2] [1] OPENED stream for https://a.test/f?q=1
    23:59:59.932300 [0-0] * [HTTP/2] [1] [:method: GET]
    23:59:59.933000 [0-0] > GET /f?q=1 HTTP/2
    23:59:59.933000 [0-0] > Host: a.test
    23:59:59.933000 [0-0] > 
    23:59:59.933100 [0-0] * Request completely sent off
    23:59:59.990000 [0-0] < HTTP/2 200 
    23:59:59.990000 [0-0] < content-length: 5
    23:59:59.990000 [0-0] < 
    hello00:00:00.010000 [0-0] { [5 bytes data]
    00:00:00.011000 [0-0] * Connection #0 to host a.test left intact
    00:00:00.500000 [1-1] < HTTP/1.1 204 No Content
    00:00:00.500000 [1-1] < 
    00:00:00.500100 [1-1] * Connection #1 to host b.test left intact

    """
}

extension ImportedExchange {
  var url: String {
    guard let head = record.request else { return "" }
    let origin = record.implied.map { "\($0.scheme.text)://\($0.authority)" } ?? ""
    return "\(head.method.rawValue) \(origin)\(head.targetText)"
  }

  var text: String { String(decoding: record.responseBody.bytes, as: UTF8.self) }

  /// Microseconds between two marks; `nil` if one was not met.
  func distance(_ first: TimelineMark, _ second: TimelineMark) -> Int64? {
    guard let first = record.marks[first], let second = record.marks[second] else { return nil }
    return second.nanoseconds(since: first) / 1_000
  }
}
