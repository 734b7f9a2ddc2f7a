/// The metrics of a recording's exchanges, by the conventions for HTTP clients: how long they took, and how large their bodies
/// were. Made of their spans, so that both say the same.
package struct RequestMetrics: Sendable {
  private enum Instrument: Int, CaseIterable {
    case duration
    case requestSize
    case responseSize

    var name: String {
      switch self {
      case .duration: "http.client.request.duration"
      case .requestSize: "http.client.request.body.size"
      case .responseSize: "http.client.response.body.size"
      }
    }

    var unit: String { self == .duration ? "s" : "By" }

    var purpose: String {
      switch self {
      case .duration: "Duration of HTTP client requests."
      case .requestSize: "Size of HTTP client request bodies."
      case .responseSize: "Size of HTTP client response bodies."
      }
    }
  }

  private struct Series {
    let attributes: [TraceSpan.Attribute]
    var histograms = [ExponentialHistogram](repeating: ExponentialHistogram(), count: Instrument.allCases.count)
  }

  /// The attributes of a span that a series has.
  private static let names: Set = [
    "error.type", "http.request.method", "http.response.status_code", "network.protocol.version", "server.address", "server.port",
  ]
  /// OpenTelemetry's limit of series; others are counted together, and marked as such.
  private static let seriesLimit = 2_000
  private static let switching = TraceSpan.Attribute(name: "http.response.status_code", value: .integer(101))
  private static let overflow = [TraceSpan.Attribute(name: "otel.metric.overflow", value: .bool(true))]

  private var series: [Series] = []
  private var places: [[TraceSpan.Attribute]: Int] = [:]
  /// Nanoseconds since 1970.
  private let begin: Int64

  package init(begin: Int64) {
    self.begin = begin
  }

  package var isEmpty: Bool { series.isEmpty }

  /// - Parameter span: of an exchange. A tunnel's and a WebSocket's are left out: how long they live is not the duration of a
  ///   request.
  package mutating func add(_ span: TraceSpan) {
    guard span.kind == .client, span.name != "CONNECT", !span.attributes.contains(Self.switching) else { return }
    let attributes = span.attributes.filter { Self.names.contains($0.name) }
    let place = place(of: attributes)
    var duration = Double(span.end - span.start)
    for attribute in span.attributes {
      guard case .integer(let size) = attribute.value else { continue }
      if attribute.name == TraceSpan.clientTime || attribute.name == TraceSpan.proxyTime { duration -= Double(size) }
      if attribute.name == "http.request.body.size" { add(Double(size), to: .requestSize, at: place) }
      if attribute.name == "http.response.body.size" { add(Double(size), to: .responseSize, at: place) }
    }
    add(max(0, duration) / 1e9, to: .duration, at: place)
  }

  private mutating func add(_ value: Double, to instrument: Instrument, at place: Int) {
    series[place].histograms[instrument.rawValue].add(value)
  }

  private mutating func place(of attributes: [TraceSpan.Attribute]) -> Int {
    if let place = places[attributes] { return place }
    if series.count >= Self.seriesLimit - 1, attributes != Self.overflow { return place(of: Self.overflow) }
    places[attributes] = series.count
    series.append(Series(attributes: attributes))
    return series.count - 1
  }

  /// Everything since the beginning, as fields of a `ScopeMetrics` message (opentelemetry/proto/metrics/v1/metrics.proto).
  ///
  /// - Parameter now: nanoseconds since 1970.
  func fields(at now: Int64) -> [UInt8] {
    var writer = ProtobufWriter()
    for instrument in Instrument.allCases {
      let filled = series.filter { $0.histograms[instrument.rawValue].count > 0 }
      guard !filled.isEmpty else { continue }
      writer.append(2) { writer in
        writer.append(1, string: instrument.name)
        writer.append(2, string: instrument.purpose)
        writer.append(3, string: instrument.unit)
        writer.append(10) { writer in
          for series in filled {
            writer.append(1) { writer in
              for attribute in series.attributes { writer.append(1, attribute) }
              writer.append(2, fixed64: UInt64(clamping: begin))
              writer.append(3, fixed64: UInt64(clamping: now))
              series.histograms[instrument.rawValue].append(to: &writer)
            }
          }
          // Cumulative.
          writer.append(2, varint: 2)
        }
      }
    }
    return writer.bytes
  }
}

extension ExponentialHistogram {
  /// The fields of an `ExponentialHistogramDataPoint` behind its times.
  fileprivate func append(to writer: inout ProtobufWriter) {
    writer.append(4, fixed64: count)
    writer.append(5, double: sum)
    writer.append(6, zigzag: scale)
    writer.append(7, fixed64: zeroCount)
    writer.append(8) { writer in
      writer.append(1, zigzag: offset)
      writer.append(2, packed: counts)
    }
    writer.append(12, double: least)
    writer.append(13, double: largest)
  }
}

extension TraceExportRequest {
  /// `ExportMetricsServiceRequest`, which is laid out like the one for spans: what is sent to `/v1/metrics`.
  ///
  /// - Parameter now: nanoseconds since 1970.
  package func bytes(of metrics: RequestMetrics, at now: Int64) -> [UInt8] {
    bytes { $0.append(fields: metrics.fields(at: now)) }
  }
}
