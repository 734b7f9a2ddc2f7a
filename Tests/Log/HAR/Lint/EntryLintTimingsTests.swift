import TapelineHAR
import Testing

@Suite("Timings")
struct EntryLintTimingsTests {
  private func entry(time: Double, _ timings: HARTimings) -> HAREntry {
    var entry = cleanEntry()
    entry.time = time
    entry.timings = timings
    return entry
  }

  @Test("ssl beside connect goes inside, and time stays")
  func sslBeside() {
    let (found, repaired) = lint(entry(time: 60, HARTimings(connect: 10, send: 5, wait: 20, receive: 10, ssl: 15)))
    #expect(found == ["ssl-outside-connect $.timings.ssl"])
    #expect(repaired.timings.connect == 25 && repaired.time == 60)
    let (_, shorter) = lint(entry(time: 50, HARTimings(connect: 15, send: 5, wait: 20, receive: 5, ssl: 5)))
    #expect(shorter.timings.connect == 20 && shorter.time == 50)
  }

  @Test("ssl without connect")
  func sslAlone() {
    let (found, repaired) = lint(entry(time: 20, HARTimings(connect: -1, send: 5, wait: 10, receive: 5, ssl: 7)))
    #expect(found == ["ssl-outside-connect $.timings.ssl", "wrong-sum $.time"])
    #expect(repaired.timings.connect == 7 && repaired.time == 27)
  }

  @Test("ssl inside of connect is right, also when it is all of it")
  func sslInside() {
    #expect(lint(entry(time: 20, HARTimings(connect: 10, send: 5, wait: 5, receive: 0, ssl: 10))).found == [])
  }

  @Test("Negative phases")
  func negative() {
    let (found, repaired) = lint(entry(time: 0, HARTimings(blocked: -2, dns: -1, connect: -0.5, send: -1, wait: -1, receive: -1)))
    #expect(
      found == [
        "negative-phase $.timings.blocked", "negative-phase $.timings.connect", "negative-phase $.timings.send",
        "negative-phase $.timings.wait", "negative-phase $.timings.receive",
      ])
    #expect(repaired.timings == HARTimings(blocked: -1, dns: -1, connect: -1, send: 0, wait: 0, receive: 0))
  }

  @Test("Wrong sums, to two microseconds")
  func sums() {
    #expect(lint(entry(time: 15.0019, HARTimings(send: 5, wait: 5, receive: 5))).found == [])
    let (found, repaired) = lint(entry(time: 15.003, HARTimings(send: 5, wait: 5, receive: 5)))
    #expect(found == ["wrong-sum $.time"] && repaired.time == 15)
    #expect(lint(entry(time: 0.3, HARTimings(send: 0.1, wait: 0.2, receive: 0))).found == [])
  }

  @Test("A total without phases was waiting")
  func totalOnly() {
    let (found, repaired) = lint(entry(time: 12, HARTimings(blocked: -1, send: 0, wait: 0, receive: 0)))
    #expect(found == ["wrong-sum $.time"] && repaired.timings.wait == 12 && repaired.time == 12)
  }
}
