internal import TapelineOTLP
internal import TapelineProxy
internal import TapelineRecorder

/// The recorder's counts, for the page `/metrics`.
enum RecordingMetrics {
  /// Upper bounds in microseconds, from the time that a loopback server takes to a time that nobody waits.
  private static let durationBounds: [UInt64] = [
    250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000,
    30_000_000, 60_000_000,
  ]

  static func append(_ recorder: Recorder, _ export: LiveExport?, to page: inout PrometheusText) {
    append(recorder.traffic, to: &page)
    append(recorder.counters, recorder.backlog, to: &page)
    if let export { append(export.state, to: &page) }
  }

  private static func append(_ state: ExportState, to page: inout PrometheusText) {
    page.begin("tapeline_otlp_spans_total", .counter, help: "Spans that the collector took or rejected, or that were dropped.")
    for (result, count) in [("sent", state.counts.sent), ("rejected", state.counts.rejected), ("dropped", state.counts.dropped)] {
      page.sample("tapeline_otlp_spans_total", [("result", result)], count)
    }
    page.single("tapeline_otlp_queue_spans", .gauge, help: "Spans that wait, or are on their way.", state.counts.queued)
    page.single("tapeline_otlp_queue_bytes", .gauge, help: "Memory that they hold.", state.queuedBytes)
    page.single(
      "tapeline_otlp_left_out_total", .counter, help: "Exchanges of which no spans were made: too many waited.", state.leftOut)
    guard let metrics = state.metrics else { return }
    page.begin("tapeline_otlp_metrics_total", .counter, help: "How often metrics were sent to the collector.")
    for (result, count) in [("sent", metrics.sent), ("failed", metrics.failed)] {
      page.sample("tapeline_otlp_metrics_total", [("result", result)], count)
    }
  }

  private static func append(_ traffic: TrafficStatistics, to page: inout PrometheusText) {
    page.single(
      "tapeline_exchanges_total", .counter, help: "Exchanges that have ended, tunnels included.", traffic.exchanges)
    page.single("tapeline_tunnels_total", .counter, help: "Tunnels that have ended.", traffic.tunnels)
    page.begin("tapeline_failures_total", .counter, help: "Exchanges that failed, by the kind of failure.")
    for (kind, count) in traffic.failuresByKind.sorted(by: { $0.key < $1.key }) {
      page.sample("tapeline_failures_total", [("kind", kind)], count)
    }
    page.begin("tapeline_responses_total", .counter, help: "Responses by the class of their status; none: there was no response.")
    for (digit, count) in traffic.responsesByClass.enumerated() {
      page.sample("tapeline_responses_total", [("class", digit == 0 ? "none" : "\(digit)xx")], count)
    }
    page.begin("tapeline_body_bytes_total", .counter, help: "Bytes of bodies and of tunnels.")
    page.sample("tapeline_body_bytes_total", [("direction", "to_server")], traffic.bytesToServer)
    page.sample("tapeline_body_bytes_total", [("direction", "to_client")], traffic.bytesToClient)
    append(traffic.latency, to: &page)
  }

  private static func append(_ latency: LatencyDistribution, to page: inout PrometheusText) {
    let name = "tapeline_exchange_duration_seconds"
    page.begin(name, .histogram, help: "From an exchange's first byte to its last, tunnels left out.")
    for bound in durationBounds {
      page.sample("\(name)_bucket", [("le", "\(Double(bound) / 1e6)")], latency.count(upToMicroseconds: bound))
    }
    page.sample("\(name)_bucket", [("le", "+Inf")], latency.count)
    page.sample("\(name)_sum", [], Double(latency.totalMicroseconds) / 1e6)
    page.sample("\(name)_count", [], latency.count)
  }

  private static func append(_ counters: RecorderCounters, _ backlog: RecorderBacklog, to page: inout PrometheusText) {
    page.single("tapeline_recorder_queue_exchanges", .gauge, help: "Exchanges that wait to be written.", backlog.exchanges)
    page.single("tapeline_recorder_queue_bytes", .gauge, help: "Memory that they hold.", backlog.bytes)
    page.single(
      "tapeline_recorder_queue_limit_bytes", .gauge,
      help: "Beyond it, exchanges are left out; bodies from three quarters on, or exchanges wait there.", backlog.limit)
    page.begin("tapeline_recorder_dropped_total", .counter, help: "Missing from the log because the queue was full.")
    page.sample("tapeline_recorder_dropped_total", [("what", "body")], counters.droppedBodies)
    page.sample("tapeline_recorder_dropped_total", [("what", "exchange")], counters.droppedRecords)
    page.single(
      "tapeline_recorder_waited_total", .counter, help: "Exchanges that began later because the queue was full.",
      counters.waitedRecords)
    page.single(
      "tapeline_recorder_lost_total", .counter, help: "Exchanges that the log lacks because writing failed.", counters.lostRecords
    )
    page.single("tapeline_log_files", .gauge, help: "Files written, the current one included.", counters.files)
    page.single("tapeline_log_bytes", .gauge, help: "Size of the current file.", counters.fileSize)
  }
}
