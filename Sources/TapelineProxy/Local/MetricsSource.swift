internal import TapelineLoop

/// Where the numbers of `/metrics` come from. Shared by all loops.
final class MetricsSource: Sendable {
  let loops: [EventLoop]
  private let counters: [ActivityCounters]
  /// Metrics of others, such as the recorder's. Called on a loop, so it does not wait.
  private let more: (@Sendable (inout PrometheusText) -> Void)?

  init(loops: [EventLoop], counters: [ActivityCounters], more: (@Sendable (inout PrometheusText) -> Void)?) {
    self.loops = loops
    self.counters = counters
    self.more = more
  }

  /// What the proxy is doing now.
  var activity: ProxyActivity {
    counters.reduce(into: ProxyActivity()) { activity, counters in counters.add(to: &activity) }
  }

  /// - Parameter lags: by loop, in nanoseconds.
  func text(lags: [Int64]) -> String {
    let activity = activity
    var page = PrometheusText()
    page.single("tapeline_requests_total", .counter, help: "Requests that have begun.", activity.begun)
    page.single("tapeline_requests_in_flight", .gauge, help: "Requests begun and not recorded yet.", activity.inFlight)
    page.single("tapeline_tunnels_open", .gauge, help: "Tunnels, and connections that switched protocols.", activity.openTunnels)
    page.single("tapeline_client_connections", .gauge, help: "Connections of clients.", activity.clientConnections)
    page.begin("tapeline_loop_lag_seconds", .gauge, help: "How long a job waited for the event loop just now.")
    for (index, lag) in lags.enumerated() {
      page.sample("tapeline_loop_lag_seconds", [("loop", "\(index)")], Double(lag) / 1e9)
    }
    more?(&page)
    return page.text
  }
}
