import Testing

@testable import TapelineLive
@testable import TapelineProxy

@Suite("The last lines of a command's network")
struct NetworkTextTests {
  private func counters(_ begun: Int, _ accepted: Int, failed: Int = 0) -> NetworkCounters {
    NetworkCounters([Array("Tcp: ActiveOpens PassiveOpens AttemptFails\nTcp: \(begun) \(accepted) \(failed)\n".utf8)])
  }

  @Test("The first has every count, and says if connections are missing")
  func counts() {
    var questions = NameQuestions()
    questions.ask()
    questions.answer("a.example", code: 0, hasAddresses: true)
    #expect(
      NetworkText.lines(counters(2, 2), questions, inherited: 0, holdsConnections: true) == [
        "the command's network: 2 connections, all accepted here; 1 question for names, 1 answered; "
          + "refused: 0 datagrams, 0 pings; led nowhere: 0 multicasts and broadcasts"
      ])
    func lines(_ counters: NetworkCounters) -> [String] {
      NetworkText.lines(counters, questions, inherited: 0, holdsConnections: true)
    }
    func balance(_ counters: NetworkCounters) -> Substring? {
      lines(counters)[0].split(separator: ";").first?.split(separator: ": ").last
    }
    #expect(balance(counters(2, 1)) == "2 connections, 1 of them accepted here")
    #expect(balance(counters(3, 1, failed: 2)) == "3 connections, 2 of them failed, the others accepted here")
    #expect(balance(counters(4, 1, failed: 2)) == "4 connections, 1 of them accepted here, 2 failed")
  }

  @Test("Names that have no address are named, the first three of them; sockets of other networks are counted")
  func names() {
    var questions = NameQuestions()
    questions.answer("b.example", code: 3, hasAddresses: false)
    questions.answer("a.example", code: 2, hasAddresses: false)
    questions.miss("c.example")
    #expect(
      NetworkText.lines(counters(0, 0), questions, inherited: 2, holdsConnections: false).dropFirst() == [
        "no address for a.example (its server failed), b.example (no such name), c.example (no answer)",
        "the command was given 2 sockets of another network, which tapeline does not see; "
          + "close such descriptors before you start tapeline",
        "the command's connections were accepted before their servers were reached: the kernel has no packet queue (modules "
          + "nfnetlink_queue and nft_queue)",
      ])
    questions.answer("d.example", code: 5, hasAddresses: false)
    questions.answer("e.example", code: 9, hasAddresses: false)
    let more = NetworkText.lines(counters(0, 0), questions, inherited: 0, holdsConnections: true)[1]
    #expect(more.hasSuffix("c.example (no answer), 2 more"))
  }

  @Test("A command that has left nothing in the log began no connection, or reached only itself")
  func silence() {
    let nothing = Shortage(recorded: 0, filtered: 0, required: 1)
    #expect(
      SilenceText.lines(BypassReport(), nothing, in: counters(0, 0)) == ["nothing was recorded: the command began no connection"])
    #expect(
      SilenceText.lines(BypassReport(), nothing, in: counters(1, 1)) == [
        "nothing was recorded: the command connected only to servers of its own"
      ])
  }
}
