internal import TapelineLoop
internal import TapelineTime

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

  /// The proxy's present work.
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

/// Gathers the contents of `/metrics`: asks each loop how long it lets a job wait, then writes the page. Loop-bound; one per
/// request.
final class MetricsProbe {
  private let source: MetricsSource
  private let began = MonotonicInstant.now
  /// By loop; `nil` for a loop that has not answered yet.
  private var lags: [Int64?]
  private var deliver: ((String) -> Void)?
  private var patience: Timer?

  /// If a loop has not answered by then, the page shows how long it has made us wait so far.
  private static let longestWait = Duration.seconds(1)

  init(source: MetricsSource) {
    self.source = source
    lags = Array(repeating: nil, count: source.loops.count)
  }

  /// Calls `deliver` once, later, on `loop`, which is the caller's.
  func gather(on loop: EventLoop, deliver: @escaping (String) -> Void) {
    self.deliver = deliver
    let home = LoopBound(self, on: loop)
    for (index, other) in source.loops.enumerated() {
      let asked = MonotonicInstant.now
      other.execute {
        let lag = MonotonicInstant.now.nanoseconds(since: asked)
        loop.execute { home.value.note(lag, of: index) }
      }
    }
    let timer = Timer(loop: loop) { [unowned self] in finish() }
    timer.start(after: Self.longestWait)
    patience = timer
  }

  private func note(_ lag: Int64, of index: Int) {
    lags[index] = lag
    if lags.allSatisfy({ $0 != nil }) { finish() }
  }

  private func finish() {
    guard let deliver else { return }
    self.deliver = nil
    patience?.cancel()
    let waited = MonotonicInstant.now.nanoseconds(since: began)
    deliver(source.text(lags: lags.map { $0 ?? waited }))
  }
}
