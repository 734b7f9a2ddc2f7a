internal import TapelineInspect
internal import TapelineProxy
internal import TapelineRecorder
internal import TapelineBase

/// Says what became of all that the command's programs sent, for the end of a recording.
enum NetworkText {
  /// - Parameters:
  ///   - inherited: how many sockets of other networks the command was given.
  ///   - holdsConnections: whether connections have waited for their servers.
  static func lines(
    _ counters: NetworkCounters, _ questions: NameQuestions, inherited: Int, holdsConnections: Bool
  ) -> [String] {
    [line(for: counters, questions)]
      + [line(for: questions), line(forInherited: inherited), holdsConnections ? nil : lineForEarlyConnections].compactMap(\.self)
  }

  /// Says what the link has done.
  static func line(for link: RecordedNetwork) -> String {
    "the link (\(link.profile)): \(Count.text(link.packets, "packet")), \(link.lost) lost, \(link.overflowed) dropped by a full queue, "
      + "\(link.queued) queued; packets were on their way for \(DurationText.compact(Double(link.busy) / 1e6)) in all"
  }

  private static let lineForEarlyConnections =
    "the command's connections were accepted before their servers were reached: the kernel has no packet queue (modules "
    + "nfnetlink_queue and nft_queue)"

  /// Every connection that a program there begins is accepted there, by us or by a server of the command, or has failed. Where
  /// that is not all of them, the line says so.
  private static func balance(of counters: NetworkCounters) -> String {
    let (accepted, failed) = (counters.acceptedConnections, counters.failedConnections)
    switch (counters.begunConnections == accepted + failed, failed) {
    case (true, 0): return "all accepted here"
    case (true, _): return "\(failed) of them failed, the others accepted here"
    case (false, 0): return "\(accepted) of them accepted here"
    case (false, _): return "\(accepted) of them accepted here, \(failed) failed"
    }
  }

  private static func line(for counters: NetworkCounters, _ questions: NameQuestions) -> String {
    let refused =
      "\(Count.text(counters.refusedDatagrams + questions.refused, "datagram")), \(Count.text(counters.refusedEchoes, "ping"))"
    let asked = "\(Count.text(questions.asked, "question")) for names, \(questions.answered) answered"
    let begun = Count.text(counters.begunConnections, "connection")
    return "the command's network: \(begun), \(balance(of: counters)); \(asked); refused: \(refused); "
      + "led nowhere: \(counters.groupPackets) multicasts and broadcasts"
  }

  /// More names would not help.
  private static let limit = 3

  /// Lookups that failed lead to no connection, so that no entry has them.
  private static func line(for questions: NameQuestions) -> String? {
    guard !questions.failures.isEmpty else { return nil }
    let names = questions.failures.sorted { $0.key < $1.key }
    let shown = names.prefix(limit).map { "\($0.key) (\(reason($0.value)))" }
    let more = names.count - shown.count
    return "no address for \((shown + (more > 0 ? ["\(more) more"] : [])).joined(separator: ", "))"
  }

  private static func reason(_ failure: NameQuestions.Failure) -> String {
    switch failure {
    case .code(3): "no such name"
    case .code(2): "its server failed"
    case .code(5): "refused"
    case .code(let code): "code \(code)"
    case .unanswered: "no answer"
    case .denied: "its name server may not be asked: --allow-host, --deny-host, --no-host-loopback; --name-server names another"
    }
  }

  private static func line(forInherited count: Int) -> String? {
    guard count > 0 else { return nil }
    return "the command was given \(Count.text(count, "socket")) of another network, which tapeline does not see; "
      + "close such descriptors before you start tapeline"
  }
}
