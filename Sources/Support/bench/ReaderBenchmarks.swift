import TapelineHAR

/// Reading logs as `list` and `show` do: a thousand small exchanges of ours, in pieces as a file gives them.
enum ReaderBenchmarks {
  private static let entryCount = 1_000
  private static let pieceSize = 256 << 10

  static func all() throws -> [Benchmark] {
    let log = log(of: try HAREntry(json: Array(entry.utf8)))
    return [reading("har.read.overview", log, .overview), reading("har.read.all", log, .all)]
  }

  private static func reading(_ name: String, _ log: [UInt8], _ parts: HAREntryParts) -> Benchmark {
    Benchmark(name: name, bytes: log.count) { repetitions in
      var evidence = 0
      for _ in 0..<repetitions {
        var reader = HARReader(parts: parts)
        for start in stride(from: 0, to: log.count, by: pieceSize) {
          reader.feed(log.span.extracting(start..<min(start + pieceSize, log.count)))
          evidence += try readAll(&reader)
        }
        reader.finish()
        evidence += try readAll(&reader)
      }
      return evidence
    }
  }

  private static func readAll(_ reader: inout HARReader) throws -> Int {
    var sum = 0
    while let event = try reader.next() {
      if case .entry(let entry) = event { sum += entry.response.status }
    }
    return sum
  }

  private static func log(of entry: HAREntry) -> [UInt8] {
    HARLog(
      creator: HARCreator(name: "tapeline", version: "1"), entries: [HAREntry](repeating: entry, count: entryCount)
    ).json
  }

  static let entry = #"""
    {"pageref":"page_1","startedDateTime":"2026-11-21T09:41:07.678901Z","time":12.345,"request":{"method":"GET",
    "url":"http://origin.example:8080/assets/stories/2026/summary.txt?edition=7&lang=en","httpVersion":"HTTP/1.1",
    "cookies":[{"name":"theme","value":"dark"},{"name":"session","value":"SENSITIVE_0123456789abcdef"}],"headers":[
    {"name":"Host","value":"origin.example:8080"},{"name":"User-Agent","value":
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"},{"name":"Accept","value":
    "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"},{"name":"Accept-Language","value":"en-GB,en;q=0.5"},
    {"name":"Accept-Encoding","value":"gzip, deflate"},{"name":"Cookie","value":"theme=dark; session=SENSITIVE_0123456789abcdef"}],
    "queryString":[{"name":"edition","value":"7"},{"name":"lang","value":"en"}],"headersSize":420,"bodySize":0},"response":{
    "status":200,"statusText":"OK","httpVersion":"HTTP/1.1","cookies":[],"headers":[{"name":"Server","value":"nginx/1.22.1"},
    {"name":"Date","value":"Sat, 21 Nov 2026 09:41:07 GMT"},{"name":"Content-Type","value":"text/plain; charset=utf-8"},
    {"name":"Content-Length","value":"360"},{"name":"ETag","value":"\"69203a40-400\""},{"name":"Connection","value":"keep-alive"}],
    "content":{"size":360,"compression":0,"mimeType":"text/plain; charset=utf-8","text":
    "{\"quick\": \"brown fox\", \"jumps\": \"over the lazy dog\"}\n{\"quick\": \"brown fox\", \"jumps\": \"over the lazy dog\"}\n
    The quick brown fox jumps over the lazy dog. The quick brown fox jumps over the lazy dog. The quick brown fox jumps over."},
    "redirectURL":"","headersSize":240,"bodySize":360},"cache":{},"timings":{"blocked":0.041,"dns":-1,"connect":-1,"ssl":-1,
    "send":0.021,"wait":11.9,"receive":0.383},"serverIPAddress":"192.0.2.1","connection":"8080","_serverPort":8080,
    "_connectionId":"17","_clientAddress":"127.0.0.1","_clientPort":51234,"_clientConnectionId":"16","_exchangeId":4711,"_events":{
    "accepted":-12,"requestFirstByte":0,"requestHeadEnd":12,"requestLastByte":12,"queued":53,"sentFirst":60,"sentLast":81,
    "responseFirstByte":11981,"responseHeadEnd":11990,"responseLastByte":12364,"deliveredFirst":12001,"deliveredLast":12370},
    "_timeline":{"requestStartTime":789012345.123456,"initialResponseTime":789012345.135437,"requestCompletedTime":789012345.13582,
    "serializationCompletedTime":789012345.13582,"latency":0.011981,"requestDuration":0.012364,"serializationDuration":0,
    "totalDuration":0.012364,"description":
    "Timeline: { \"Latency\": 0.012 secs, \"Request Duration\": 0.012 secs, \"Serialization Duration\": 0.000 secs }"},
    "_overhead":{"request":0.048,"response":0.02},"_tcp":{"server":{"rtt":0.041,"rttvar":0.012,"minRtt":0.02,"retransmits":0,
    "cwnd":10,"deliveryRate":12000000},"client":{"rtt":0.035}}}
    """#.split(separator: "\n").joined()
}
