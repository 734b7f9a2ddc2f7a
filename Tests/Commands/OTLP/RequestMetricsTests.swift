import TapelineInspect
import Testing

@testable import TapelineOTLP

struct RequestMetricsTests {
  private static func span(_ method: String = "GET", host: String, nanoseconds: Int64 = 1_000, size: Int? = nil) -> TraceSpan {
    var span = TraceSpan(
      method, SpanContext(trace: TraceID(high: 1, low: 2), span: SpanID(3)), from: 5_000, to: 5_000 + nanoseconds)
    span.kind = .client
    span.append("http.request.method", method)
    span.append("server.address", host)
    span.append("url.full", "http://\(host)/\(nanoseconds)")
    span.append("http.response.body.size", size)
    return span
  }

  /// The data points of each metric: how many of its fields say that they are a point.
  private static func points(_ metrics: RequestMetrics) -> [Int] {
    var counts: [Int] = []
    var reader = ProtobufReader(metrics.fields(at: 9)[...])
    while case (2, .delimited(let metric))? = reader.next() {
      var metricReader = ProtobufReader(metric)
      while let (field, value) = metricReader.next() {
        guard field == 10, case .delimited(let histogram) = value else { continue }
        var histogramReader = ProtobufReader(histogram)
        var count = 0
        while let (field, _) = histogramReader.next() { count += field == 1 ? 1 : 0 }
        counts.append(count)
      }
    }
    return counts
  }

  @Test("A series has what few exchanges differ in, and not the URL; sizes are there if there are any")
  func series() {
    var metrics = RequestMetrics(begin: 1)
    #expect(metrics.isEmpty && metrics.fields(at: 9) == [])
    for number in 0..<10 { metrics.add(Self.span(host: "a", nanoseconds: Int64(number))) }
    metrics.add(Self.span(host: "b", size: 7))
    #expect(Self.points(metrics) == [2, 1])
  }

  @Test("Tunnels and phases are no requests")
  func others() {
    var metrics = RequestMetrics(begin: 1)
    metrics.add(Self.span("CONNECT", host: "a"))
    var phase = Self.span(host: "a")
    phase.kind = .internal
    metrics.add(phase)
    #expect(metrics.isEmpty)
  }

  @Test("From the limit on, series are counted together")
  func overflow() {
    var metrics = RequestMetrics(begin: 1)
    for number in 0..<2_500 { metrics.add(Self.span(host: "host-\(number)")) }
    #expect(Self.points(metrics) == [2_000])
  }
}
