import Testing

@testable import TapelineCapture
@testable import TapelineClients
@testable import TapelineProxy

@Suite("The last lines of a command's network")
struct NetworkTextTests {
  private func counters(_ begun: Int, _ accepted: Int) -> NetworkCounters {
    NetworkCounters([Array("Tcp: ActiveOpens PassiveOpens AttemptFails\nTcp: \(begun) \(accepted) 0\n".utf8)])
  }

  @Test("The first has every count, and says if connections are missing")
  func counts() {
    var questions = NameQuestions()
    questions.ask()
    questions.answer("a.example", code: 0, hasAddresses: true)
    #expect(
      NetworkText.lines(counters(2, 2), questions, inherited: 0) == [
        "the command's network: 2 connections, all accepted here; 1 question for names, 1 answered; "
          + "refused: 0 datagrams, 0 pings; led nowhere: 0 multicasts and broadcasts"
      ])
    #expect(NetworkText.lines(counters(2, 1), questions, inherited: 0)[0].contains("2 connections, 1 of them accepted here;"))
  }

  @Test("Names that have no address are named, the first three of them; sockets of other networks are counted")
  func names() {
    var questions = NameQuestions()
    questions.answer("b.example", code: 3, hasAddresses: false)
    questions.answer("a.example", code: 2, hasAddresses: false)
    questions.miss("c.example")
    #expect(
      NetworkText.lines(counters(0, 0), questions, inherited: 2).dropFirst() == [
        "no address for a.example (its server failed), b.example (no such name), c.example (no answer)",
        "the command was given 2 sockets of another network, which tapeline does not see; "
          + "close such descriptors before you start tapeline",
      ])
    questions.answer("d.example", code: 5, hasAddresses: false)
    questions.answer("e.example", code: 9, hasAddresses: false)
    #expect(NetworkText.lines(counters(0, 0), questions, inherited: 0)[1].hasSuffix("c.example (no answer), 2 more"))
  }

  @Test("A command that has left nothing in the log began no connection, or reached only itself")
  func silence() {
    let nothing = Shortage(recorded: 0, filtered: 0, required: 1)
    #expect(
      SilenceText.lines([], nothing, in: counters(0, 0)) == ["nothing was recorded: the command began no connection"])
    #expect(
      SilenceText.lines([], nothing, in: counters(1, 1)) == [
        "nothing was recorded: the command connected only to servers of its own"
      ])
  }
}
