internal import Dispatch
internal import TapelineOffline
internal import TapelineCore
internal import TapelineInspect
internal import TapelineProxy
internal import TapelineRecorder
internal import TapelineBase

/// The summary of a recording, in one line.
enum SummaryText {
  /// `12 exchanges, 1 failed, 3.2 KiB up, 1.4 MiB down, total p50 12.3ms p95 88.1ms, session.har`, and anything that is missing.
  static func line(for summary: RecorderSummary) -> String {
    var parts = [Count.text(summary.exchanges, "exchange"), "\(summary.failures) failed"]
    parts.append("\(bytes(summary.bytesToServer)) up")
    parts.append("\(bytes(summary.bytesToClient)) down")
    if let p50 = summary.p50Microseconds, let p95 = summary.p95Microseconds {
      parts.append("total p50 \(milliseconds(p50)) p95 \(milliseconds(p95))")
    }
    parts += tunnels(summary.unreadTunnels)
    parts += missing(summary)
    parts.append(summary.files.joined(separator: " "))
    return parts.joined(separator: ", ")
  }

  /// Names the hosts of tunnels that could not be read. Only counts the tunnels that the user wanted left alone.
  private static func tunnels(_ unread: UnreadTunnels) -> [String] {
    let missed = unread.counts.filter { !$0.key.isAskedFor }.values.reduce(0, +)
    var parts: [String] = []
    if missed > 0 {
      let hosts = unread.hostsByCount.filter { !$0.host.reason.isAskedFor }.map {
        "\($0.host.name.printable) (\($0.host.reason.rawValue))"
      }
      let named = hosts.prefix(namedHosts) + (hosts.count > namedHosts ? ["\(hosts.count - namedHosts) more"] : [])
      parts.append("\(tunnels(missed)) not read: \(named.joined(separator: ", "))")
    }
    if let count = unread.counts[.passedThrough] { parts.append("\(tunnels(count)) passed through") }
    if let count = unread.counts[.notIntercepted] { parts.append(tunnels(count)) }
    return parts
  }

  private static let namedHosts = 3

  private static func tunnels(_ count: UInt64) -> String {
    Count.text(count, "tunnel")
  }

  private static func missing(_ summary: RecorderSummary) -> [String] {
    [
      (summary.filteredRecords, "left out by --filter"), (summary.droppedBodies, "without their bodies"),
      (summary.droppedRecords, "not recorded: queue full"),
      (summary.lostRecords, "not recorded: writing failed"), (summary.waitedRecords, "waited for the recorder"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
  }

  private static func bytes(_ count: UInt64) -> String {
    ByteCountText.long(Int(clamping: count))
  }

  private static func milliseconds(_ microseconds: Int64) -> String {
    DurationText.compact(Double(microseconds) / 1_000)
  }
}

/// The message about a client that refuses our certificate.
enum RefusalText {
  static func line(for notice: RefusalNotice) -> String {
    switch notice.consequence {
    case .suspicion where notice.trust == .browser:
      "\(notice.client) did not like our certificate for \(notice.host) (\(notice.refusal)): if it goes on, it is recorded; if it refuses "
        + "again within a minute, it is passed through, unread; \(remedy(for: notice.trust))"
    case .none, .suspicion:
      "\(notice.client) refused our certificate for \(notice.host) (\(notice.refusal)): its requests there are not recorded; "
        + "\(remedy(for: notice.trust)), or leave the host alone (--passthrough-host \(notice.host))"
    case .passedThrough:
      "\(notice.client) is passed through to \(notice.host), unread, for 10 minutes: it refused our certificate (\(notice.refusal)); "
        + clearing(for: notice.trust)
    }
  }

  private static let means = "(tapeline env, tapeline ca trust)"

  /// A client that was told whom to trust does not look at what we set: its authority has to become ours.
  private static func remedy(for trust: RefusalNotice.Trust) -> String {
    switch trust {
    case .unknown: "make it trust us \(means)"
    case .browser: "start it by tapeline run --browser, with $TAPELINE_CHROMIUM_FLAGS, or see tapeline ca trust"
    case .ownAuthority: "make it trust us \(means), and give authorities of its own to tapeline (--upstream-ca)"
    case .named(let word):
      "its \(word.printable) names other authorities than ours: give that file to tapeline (--upstream-ca) and leave \(word.printable) out"
    }
  }

  private static func clearing(for trust: RefusalNotice.Trust) -> String {
    switch trust {
    case .unknown: "once it trusts us \(means), tapeline passthrough --clear intercepts it again"
    case .browser, .ownAuthority, .named: "\(remedy(for: trust)); tapeline passthrough --clear then intercepts it again"
    }
  }
}

/// The message about an origin that wants a certificate of its client.
enum CertificateDemandText {
  static func line(for demand: CertificateDemand) -> String {
    let asks = "\(demand.host) asks for a client certificate, which tapeline has not (\(demand.manner))"
    let remedy = "--client-cert \(demand.host)=FILE presents it"
    return demand.expires == nil
      ? "\(asks): its requests fail; \(remedy)"
      : "\(asks): \(demand.client) is passed through to it, unread, from now on; \(remedy)"
  }
}

/// Writes the notices of a loop to stderr. A loop must not wait for a terminal that has stopped.
final class NoticeWriter: Sendable {
  static let shared = NoticeWriter()
  private let queue = DispatchQueue(label: "tapeline.notices")

  func say(_ message: String, excerpt: [String] = []) {
    queue.async { Console.say(message, excerpt: excerpt) }
  }

  /// Returns when all notices are written.
  func finish() {
    queue.sync {}
  }
}
