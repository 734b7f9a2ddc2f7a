internal import TapelineBase
internal import TapelineOffline
internal import TapelineCore
internal import TapelineHAR
internal import TapelineLoop
package import TapelineProxy
package import TapelineRecorder
internal import TapelineSystem
internal import TapelineTime

/// Answers requests from the control socket, on the socket's thread.
package struct RecordingControl: Sendable {
  package let server: ProxyServer
  package let recorder: Recorder
  private let version: String
  private let name: String?
  private let interception: RecordingStatus.Interception?
  private let asksForCredentials: Bool
  private let clients: Interception?
  private let livePage: String?
  private let export: (@Sendable () -> RecordingStatus.Export)?

  /// - Parameters:
  ///   - version: the program's version.
  ///   - name: the value of `--name`.
  ///   - interception: absent where HTTPS is tunnelled.
  ///   - clients: those that refuse our certificate; absent where HTTPS is tunnelled.
  ///   - livePage: the address of the live page, for this user alone; absent without an address of the proxy.
  ///   - export: asked for the state of the export; absent if nothing is exported.
  package init(
    server: ProxyServer, recorder: Recorder, version: String, name: String? = nil, interception: RecordingStatus.Interception?,
    asksForCredentials: Bool = false, clients: Interception? = nil, livePage: String? = nil,
    export: (@Sendable () -> RecordingStatus.Export)? = nil
  ) {
    self.server = server
    self.recorder = recorder
    self.version = version
    self.name = name
    self.interception = interception
    self.asksForCredentials = asksForCredentials
    self.clients = clients
    self.livePage = livePage
    self.export = export
  }

  package func answer(_ request: ControlRequest) -> ControlReply {
    switch request {
    case .status: return .result(status.members)
    case .traffic: return .result(traffic.members)
    case .mark(let name): return .result(["page": .string(recorder.beginPage(title: name))])
    case .snapshot(let path): return snapshot(to: path)
    case .rotate:
      server.handOnEnded()
      recorder.rotate()
      return .done
    case .passthrough(let clear):
      let passedThrough = passedThrough
      if clear { clients?.forgetRefusals() }
      return .result(["passthrough": .array(passedThrough.map(\.value))])
    case .rules(let turned, let off): return rules(turned, off: off)
    case .stop:
      // The signal handler of this process knows how to end: `run` ends its command.
      ProcessSignal.send(ProcessSignal.terminate, to: CurrentProcess.id)
      return .done
    }
  }

  private func rules(_ turned: [Int], off: Bool) -> ControlReply {
    let rules = server.rules
    let count = rules?.rules.count ?? 0
    if let unknown = turned.first(where: { !(1..<count + 1).contains($0) }) {
      return .failure(
        CommandFailure(
          status: .usage, what: "rules", why: "there is no rule \(unknown): the recording has \(Count.text(count, "rule"))",
          remedy: "tapeline rules lists them"))
    }
    rules?.turn(turned.map { $0 - 1 }, off: off)
    return .result(ListedRule.members(ListedRule.list(of: rules)))
  }

  private func snapshot(to path: String) -> ControlReply {
    guard path.hasPrefix("/") else {
      return .failure(
        CommandFailure(
          status: .usage, what: "snapshot \(path)", why: "the path is relative, and this recording does not know to what",
          remedy: "send an absolute path"))
    }
    guard !path.utf8.contains(0) else {
      return .failure(
        CommandFailure(
          status: .usage, what: "snapshot \(path)", why: "no path has a NUL", remedy: "send the path of a file"))
    }
    do throws(RecorderError) {
      let copy = try recorder.snapshot(to: path) { server.exchangesInFlight() }
      return .result([
        "source": .string(copy.source), "size": .number(HARNumber(copy.size)),
        "entries": .number(HARNumber(Int(clamping: copy.entries))), "inFlight": .number(HARNumber(copy.inFlight)),
      ])
    } catch {
      return .failure(
        CommandFailure(status: .cannotCreate, what: error.path ?? path, why: error.reason, remedy: error.remedy))
    }
  }

  private var traffic: RecordingTraffic {
    RecordingTraffic(recorder.traffic, activity: server.activity, at: .now)
  }

  private var status: RecordingStatus {
    let activity = server.activity
    let (counters, backlog) = (recorder.counters, recorder.backlog)
    return RecordingStatus(
      processID: Int(CurrentProcess.id), version: version, title: recorder.title, name: name,
      directory: AbsolutePath.workingDirectory,
      endpoints: server.addresses.map(\.description) + server.paths.map { "unix:\($0)" },
      asksForCredentials: asksForCredentials, livePage: livePage, interception: interception,
      traffic: RecordingStatus.Traffic(activity, at: .now),
      log: RecordingStatus.Log(counters, backlog), queue: RecordingStatus.Queue(backlog, counters),
      unread: RecordingStatus.Unread(counters.unreadTunnels), passedThrough: passedThrough, export: export?())
  }

  private var passedThrough: [RecordingStatus.PassedThrough] {
    (clients?.passedThroughClients(at: .now) ?? []).map { client in
      RecordingStatus.PassedThrough(
        host: client.host, client: client.client, why: client.reason, since: Self.microseconds(client.since),
        expires: Self.microseconds(client.expires))
    }
  }

  private static func microseconds(_ instant: MonotonicInstant) -> Int {
    Int(WallClockAnchor.process.unixNanoseconds(at: instant) / 1_000)
  }
}

extension RecordingStatus.Traffic {
  init(_ activity: ProxyActivity, at now: MonotonicInstant) {
    self.init(
      inFlight: activity.inFlight, openTunnels: activity.openTunnels, clients: activity.clientConnections,
      begun: Int(clamping: activity.begun),
      quietMilliseconds: activity.lastChange.map { Int(max(0, now.nanoseconds(since: $0)) / 1_000_000) },
      streams: activity.streams)
  }
}

extension RecordingStatus.Unread {
  init(_ tunnels: UnreadTunnels) {
    self.init(
      tunnels: Int(clamping: tunnels.total),
      reasons: UnreadReason.allCases.compactMap { reason in
        tunnels.counts[reason].map { Reason(name: reason.rawValue, tunnels: Int(clamping: $0)) }
      },
      hosts: tunnels.hostsByCount.map {
        Host(name: $0.host.name, reason: $0.host.reason.rawValue, tunnels: Int(clamping: $0.count))
      })
  }
}

extension RecordingStatus.Log {
  init(_ counters: RecorderCounters, _ backlog: RecorderBacklog) {
    self.init(
      file: AbsolutePath.of(counters.file), fileSize: counters.fileSize,
      fileEntries: Int(clamping: counters.fileEntries), files: counters.files, page: counters.page,
      recorded: Int(clamping: counters.exchanges - counters.filteredRecords), filtered: Int(clamping: counters.filteredRecords),
      failed: Int(clamping: counters.failures),
      withoutBodies: Int(clamping: counters.droppedBodies + backlog.droppedBodies),
      notRecorded: Int(clamping: counters.droppedRecords + counters.lostRecords + backlog.droppedRecords))
  }
}

extension RecordingStatus.Queue {
  init(_ backlog: RecorderBacklog, _ counters: RecorderCounters) {
    self.init(
      exchanges: backlog.exchanges, bytes: backlog.bytes, limit: backlog.limit, overload: backlog.holdsBack ? "wait" : "drop",
      waited: Int(clamping: counters.waitedRecords))
  }
}

extension RecordingTraffic {
  /// Nobody watches more hosts at once.
  private static let hostLimit = 64

  init(_ traffic: TrafficStatistics, activity: ProxyActivity, at now: MonotonicInstant) {
    let busiest = traffic.hosts.sorted { ($0.value.exchanges, $1.key) > ($1.value.exchanges, $0.key) }.prefix(Self.hostLimit)
    self.init(
      nanoseconds: now.nanoseconds, inFlight: activity.inFlight, openTunnels: activity.openTunnels,
      clients: activity.clientConnections,
      all: Host(
        name: "", exchanges: Int(clamping: traffic.exchanges), failed: Int(clamping: traffic.failures),
        errorResponses: Int(clamping: traffic.responsesByClass[4] + traffic.responsesByClass[5]),
        bytesToServer: Int(clamping: traffic.bytesToServer), bytesToClient: Int(clamping: traffic.bytesToClient),
        latency: Self.counts(traffic.latency)),
      hosts: busiest.map { Host(name: $0.key, $0.value) },
      failures: traffic.recentFailures.map {
        Failure(startedAt: $0.startedAt.map { Int($0) }, method: $0.method, host: $0.host, kind: $0.kind, phase: $0.phase)
      })
  }

  fileprivate static func counts(_ latency: LatencyDistribution) -> [LatencyCount] {
    latency.values.map { LatencyCount(microseconds: Int(clamping: $0.microseconds), count: Int($0.count)) }
  }
}

extension RecordingTraffic.Host {
  fileprivate init(name: String, _ host: HostTraffic) {
    self.init(
      name: name, exchanges: Int(clamping: host.exchanges), failed: Int(clamping: host.failures),
      errorResponses: Int(clamping: host.errorResponses), bytesToServer: Int(clamping: host.bytesToServer),
      bytesToClient: Int(clamping: host.bytesToClient), latency: RecordingTraffic.counts(host.latency))
  }
}
