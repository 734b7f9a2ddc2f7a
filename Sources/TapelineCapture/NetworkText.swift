internal import TapelineClients
internal import TapelineProxy
internal import TapelineText

/// What became of all that the command's programs sent, for the end of a recording.
enum NetworkText {
  static func lines(_ counters: NetworkCounters, _ questions: NameQuestions, inherited: Int) -> [String] {
    [line(for: counters, questions)] + [line(for: questions), line(forInherited: inherited)].compactMap(\.self)
  }

  /// Every connection that a program there begins is accepted there: by us, or by a server of the command. Where the two numbers
  /// differ, the line says so.
  private static func line(for counters: NetworkCounters, _ questions: NameQuestions) -> String {
    let begun = counters.begunConnections - counters.failedConnections
    let accepted = counters.acceptedConnections
    let balance = begun == accepted ? "all accepted here" : "\(accepted) of them accepted here"
    let refused = "\(Count.text(counters.refusedDatagrams, "datagram")), \(Count.text(counters.refusedEchoes, "ping"))"
    let asked = "\(Count.text(questions.asked, "question")) for names, \(questions.answered) answered"
    return "the command's network: \(Count.text(begun, "connection")), \(balance); \(asked); refused: \(refused); "
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
    }
  }

  private static func line(forInherited count: Int) -> String? {
    guard count > 0 else { return nil }
    return "the command was given \(Count.text(count, "socket")) of another network, which tapeline does not see; "
      + "close such descriptors before you start tapeline"
  }
}
