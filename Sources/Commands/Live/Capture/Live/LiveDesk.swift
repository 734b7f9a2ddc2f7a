internal import TapelineCore
internal import TapelineInspect
internal import TapelineProxy
internal import TapelineRecorder
internal import TapelineSystem
internal import TapelineTime

/// Serves the visitors of the live page, on the page's thread alone.
///
/// While somebody reads events, it looks at the capture twenty times a second, if anything has happened, and ten times where much
/// has; else it sleeps. News wait while its pace has it rest; answers do not.
final class LiveDesk {
  /// News from other threads.
  struct Mail {
    let visits: [LocalVisit]
    let server: ProxyServer?
    /// Whether the recording ends.
    let isLast: Bool
  }

  private let recorder: Recorder
  private let report: LiveReport
  private let bell: Int32
  private let mail: () -> Mail
  /// Is told when the first panel is attached, and when the last has left.
  private let panelsChanged: (_ areAny: Bool) -> Void
  private var hasPanels = false
  private var reception: LiveReception
  private var capture: LiveCapture
  private var connections: [LiveConnection] = []
  private var server: ProxyServer?
  private var lastLook: MonotonicInstant?
  private var lastState: CaptureState?
  /// The look that the recorder has not answered: its disk does not.
  private var lateLook: SnapshotRequest?
  private var interval = LiveDesk.lookInterval
  private var pace = ProcessorPace(restFactor: LiveDesk.restFactor)

  /// Whatever changes when there is something to see.
  private struct CaptureState: Equatable {
    let change: MonotonicInstant?
    let recorded: UInt64
    let page: String
  }

  /// While the machine is busy, the thread takes a fiftieth of one processor.
  private static let restFactor: Int64 = 49
  private static let lookInterval = Duration.milliseconds(50)
  /// After a look that has found so many exchanges: then rows come as fast as anybody can see them, and looks cost.
  private static let restingInterval = Duration.milliseconds(100)
  private static let manyExchanges: UInt64 = 20
  /// While each reader has more to read than this, and the machine is busy, a look only tells how far behind they are.
  private static let manyRows = 1_000
  private static let behindInterval = Duration.seconds(2)
  /// Between two looks at exchanges in flight that only grow.
  private static let growthInterval = Duration.milliseconds(500)
  /// Until a recorder with a disk has answered. The next look waits for the rest.
  static let lookPatience = Duration.milliseconds(100)
  /// The time that readers have to take the last news.
  private static let lastPatience = Duration.milliseconds(500)
  private static let mostConnections = 64
  static let mostReaders = 16
  /// Pieces for one reader before the others have their turn.
  private static let mostPieces = 8

  init(
    report: LiveReport, key: String, recorder: Recorder, bell: Int32, mail: @escaping () -> Mail,
    panelsChanged: @escaping (Bool) -> Void
  ) {
    self.report = report
    self.recorder = recorder
    self.bell = bell
    self.mail = mail
    self.panelsChanged = panelsChanged
    reception = LiveReception(report: report, key: key)
    capture = LiveCapture(report)
  }

  /// Returns when the recording ends.
  func run() {
    while true {
      var requests = [PollRequest(.readable, on: bell)] + connections.map(\.request)
      SystemCalls.poll(&requests, milliseconds: patience)
      if requests[0].isReady {
        silenceBell()
        let mail = mail()
        server = mail.server
        for visit in mail.visits { receive(visit) }
        if mail.isLast { return end() }
      }
      let hasRested = pace.rest(at: .now) == .zero
      if hasRested { look() }
      serve(telling: hasRested)
      pace.note()
    }
  }

  /// Milliseconds until there may be something to do; `nil` if only a visit can change that.
  private var patience: Int32? {
    guard !connections.isEmpty else { return nil }
    // Nobody rings when it has rested.
    let pause = connections.contains { $0.isOwed(newsOf: capture) } ? .zero : hasReaders ? Self.lookInterval : .seconds(1)
    return Int32((max(pause, pace.rest(at: .now)) / .milliseconds(1)).rounded(.up))
  }

  /// Whether all readers have enough to read.
  private var areBehind: Bool { connections.allSatisfy { !$0.isReader || $0.missing(of: capture) > Self.manyRows } }

  private var hasReaders: Bool { connections.contains(where: \.isReader) }

  private func silenceBell() {
    do throws(SystemCallError) {
      try SystemCalls.silence(bell)
    } catch {
      // It keeps ringing, which costs time and nothing else.
    }
  }

  private func receive(_ visit: LocalVisit) {
    if capture.headerVersion == 0 { update() }
    let readers = connections.count(where: \.isReader)
    connections.append(
      reception.answer(visit, capture, details, recorder, readers: readers))
    // Those that read stay; there are fewer of them.
    if connections.count > Self.mostConnections, let oldest = connections.firstIndex(where: { !$0.isReader }) {
      connections.remove(at: oldest)
    }
  }

  // MARK: The capture

  /// Looks at the capture if it is time, and if it can have changed.
  private func look() {
    guard hasReaders else { return }
    let now = MonotonicInstant.now
    let age = lastLook.map { now.nanoseconds(since: $0) } ?? .max
    guard age >= (pace.isBusy && areBehind ? Self.behindInterval : interval).nanoseconds else { return }
    capture.note(recorder.backlog, isStuck: lateLook != nil)
    let activity = server?.activity ?? ProxyActivity()
    let counters = recorder.counters
    let state = CaptureState(change: activity.lastChange, recorded: counters.exchanges, page: counters.page)
    let isGrowing = activity.inFlight + activity.openTunnels > 0 && age >= Self.growthInterval.nanoseconds
    guard state != lastState || isGrowing || lateLook != nil else { return }
    interval = counters.exchanges &- (lastState?.recorded ?? 0) >= Self.manyExchanges ? Self.restingInterval : Self.lookInterval
    lastState = state
    lastLook = now
    update()
  }

  private func update() {
    do throws(RecorderError) {
      let late = lateLook.take()
      let look = if let late { late } else { try request() }
      guard let source = try look.answer(within: Self.lookPatience) else { return lateLook = look }
      capture.update(source, report)
      // It shows the capture as it was when it was asked for: there may be news since.
      if late != nil { lastState = nil }
    } catch {
      // The recording ends, or its disk fails, which the recorder reports.
    }
  }

  private func request() throws(RecorderError) -> SnapshotRequest {
    try recorder.requestSource {
      (server?.exchangesInFlight() ?? []).map { exchange in
        var exchange = exchange
        exchange.dropBodies()
        return exchange
      }
    }
  }

  private var details: LiveDetails {
    LiveDetails(capture: capture, recorder: recorder, server: server)
  }

  // MARK: The connections

  /// - Parameter telling: whether readers get news.
  private func serve(telling: Bool) {
    var index = 0
    let details = details
    while index < connections.count {
      if serve(&connections[index], details, telling: telling) { index += 1 } else { connections.remove(at: index) }
    }
    let hasPanels = connections.contains(where: \.isPanel)
    if hasPanels != self.hasPanels { panelsChanged(hasPanels) }
    self.hasPanels = hasPanels
  }

  /// Returns whether the connection goes on.
  private func serve(_ connection: inout LiveConnection, _ details: LiveDetails, telling: Bool) -> Bool {
    for _ in 0..<(pace.isBusy ? 1 : Self.mostPieces) {
      switch connection.write() {
      case .ended: return false
      case .full: return true
      case .drained:
        guard connection.listen(details) else { return false }
        guard telling, connection.addNews(of: &capture, details, epoch: reception.epoch) else { return true }
      }
    }
    return true
  }

  /// The last news, and the end: also for those who have not got all by then.
  private func end() {
    let deadline = MonotonicInstant.now.advanced(by: Self.lastPatience)
    update()
    while !connections.isEmpty {
      let isLate = MonotonicInstant.now >= deadline
      serve(telling: true)
      for index in connections.indices where isLate || connections[index].hasAll(of: capture) {
        connections[index].end(of: capture)
      }
      serve(telling: false)
      guard !connections.isEmpty, !isLate else { return }
      var requests = connections.map(\.request)
      SystemCalls.poll(&requests, milliseconds: 10)
    }
  }
}
