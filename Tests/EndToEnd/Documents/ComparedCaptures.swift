/// What docs/diff.md compares: a service before and after a change that made one request slower, broke another, and let a third
/// answer with more. The times are pseudo-random, and the same in every run.
enum ComparedCaptures {
  static func har(isAfter: Bool) -> String {
    var noise = Noise(state: isAfter ? 20_261_122 : 20_261_121)
    var entries: [String] = []
    func add(_ path: String, status: Int = 200, wait: Double, size: Int) {
      let wait = (wait * (0.75 + 0.5 * noise.next()) * 1_000).rounded() / 1_000
      entries.append(entry(path, number: entries.count, status: status, wait: wait, size: size, version: isAfter ? 2 : 1))
    }
    for round in 0..<40 {
      add("/orders/\(1_000 + round)?page=1", wait: isAfter ? 18.5 : 9.4, size: 512)
      if round < 24 { add("/flaky", status: isAfter && round.isMultiple(of: 2) ? 503 : 200, wait: 5, size: 20) }
      add("/list?since=\(round)", wait: 8, size: isAfter ? 5_000 : 1_000)
      add("/health", wait: 2, size: 2)
    }
    add(isAfter ? "/v2/new" : "/v1/old", wait: 6, size: 64)
    return #"{"log":{"version":"1.2","creator":{"name":"a test","version":"1"},"entries":["#
      + entries.joined(separator: ",") + "]}}"
  }

  private static func entry(_ path: String, number: Int, status: Int, wait: Double, size: Int, version: Int) -> String {
    let (minute, second) = (number / 60, number % 60)
    let time = "\(minute < 10 ? "0" : "")\(minute):\(second < 10 ? "0" : "")\(second)"
    return """
      {"startedDateTime":"2026-01-01T00:\(time).000Z","time":\(wait),"request":{"method":"GET",\
      "url":"http://127.0.0.1:8080\(path)","httpVersion":"HTTP/1.1","cookies":[],"headers":[],"queryString":[],"headersSize":-1,\
      "bodySize":0},"response":{"status":\(status),"statusText":"","httpVersion":"HTTP/1.1","cookies":[],"headers":[{"name":\
      "X-Version","value":"\(version)"}],"content":{"size":\(size),"mimeType":"application/json"},"redirectURL":"",\
      "headersSize":-1,"bodySize":\(size)},"cache":{},"timings":{"blocked":0,"dns":-1,"connect":-1,"ssl":-1,"send":0,\
      "wait":\(wait),"receive":0}}
      """
  }

  /// Knuth's generator of 64 bits (MMIX).
  private struct Noise {
    var state: UInt64

    /// From 0 to 1.
    mutating func next() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(state >> 11) / Double(UInt64(1) << 53)
    }
  }
}
