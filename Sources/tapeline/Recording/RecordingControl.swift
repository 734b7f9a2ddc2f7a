internal import TapelineCore
internal import TapelineHAR
internal import TapelineLoop
internal import TapelineProxy
internal import TapelineRecorder
internal import TapelineSystem
internal import TapelineTime

/// Answers requests from the control socket, on the socket's thread.
struct RecordingControl: Sendable {
  let server: ProxyServer
  let recorder: Recorder
  let title: String
  /// The value of `--name`.
  var name: String?
  /// Absent where HTTPS is tunnelled.
  let interception: RecordingStatus.Interception?
  var asksForCredentials = false
  /// Absent where HTTPS is tunnelled.
  var clients: Interception?

  func answer(_ request: ControlRequest) -> ControlReply {
    switch request {
    case .status: return .result(status.members)
    case .traffic: return .result(traffic.members)
    case .mark(let name): return .result(["page": .string(recorder.beginPage(title: name))])
    case .snapshot(let path): return snapshot(to: path)
    case .rotate:
      recorder.rotate()
      return .done
    case .passthrough(let clear):
      let passedThrough = passedThrough
      if clear { clients?.forgetRefusals() }
      return .result(["passthrough": .array(passedThrough.map(\.value))])
    case .stop:
      // The signal handler of this process knows how to end: `run` ends its command.
      ProcessSignal.send(ProcessSignal.terminate, to: CurrentProcess.id)
      return .done
    }
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
    let counters = recorder.counters
    return RecordingStatus(
      processID: Int(CurrentProcess.id), version: programVersion, title: title, name: name,
      directory: AbsolutePath.workingDirectory, endpoints: server.addresses.map(\.description),
      asksForCredentials: asksForCredentials, interception: interception, traffic: RecordingStatus.Traffic(activity, at: .now),
      log: RecordingStatus.Log(counters), unread: RecordingStatus.Unread(counters.unreadTunnels), passedThrough: passedThrough)
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
  init(_ counters: RecorderCounters) {
    self.init(
      file: AbsolutePath.of(counters.file), fileSize: counters.fileSize,
      fileEntries: Int(clamping: counters.fileEntries), files: counters.files, page: counters.page,
      recorded: Int(clamping: counters.exchanges - counters.filteredRecords), filtered: Int(clamping: counters.filteredRecords),
      failed: Int(clamping: counters.failures),
      withoutBodies: Int(clamping: counters.droppedBodies),
      notRecorded: Int(clamping: counters.droppedRecords + counters.lostRecords))
  }
}
