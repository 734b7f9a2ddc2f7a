import TapelineBase
import Testing

@testable import TapelineInspect

@Suite("Phase strip")
struct PhaseStripTests {
  private func strip(_ durations: [Phase: Double], width: Int = 8) -> String {
    var phases = PhaseDurations()
    for (phase, milliseconds) in durations {
      phases[phase] = milliseconds
    }
    return PhaseStrip.text(for: phases, width: width)
  }

  @Test("Letters are shared in proportion, in the order of the phases")
  func proportion() {
    #expect(strip([.blocked: 1, .connect: 1, .wait: 4, .receive: 2]) == "bcwwwwrr")
    #expect(strip([.wait: 100]) == "wwwwwwww")
  }

  @Test("The client's own part comes first")
  func client() {
    #expect(strip([.client: 4, .blocked: 1, .wait: 3]) == "CCCCbwww")
  }

  @Test("Beside the total, the client's own part is named and takes no share", arguments: [4.0, 4_000])
  func ofTotal(client: Double) {
    var phases = PhaseDurations()
    for (phase, milliseconds) in [(Phase.client, client), (.connect, 3), (.wait, 4)] { phases[phase] = milliseconds }
    let plain = Palette(isColored: false)
    #expect(PhaseStrip.ofTotal(phases, width: 8, palette: plain) == "Ccccwwww")
    #expect(PhaseStrip.ofTotal(phases.ofTotal, width: 7, palette: plain) == "cccwwww")
    #expect(PhaseStrip.ofTotal(PhaseDurations(), width: 3, palette: plain) == "   ")
  }

  @Test("The TLS part is taken out of the connecting, not added to it")
  func tlsInsideConnect() {
    #expect(strip([.connect: 4, .ssl: 3, .wait: 4]) == "ctttwwww")
    #expect(strip([.connect: 4, .ssl: 4, .wait: 4]) == "ttttwwww")
  }

  @Test("What rounding leaves goes to the largest remainders, and every cell is used")
  func remainders() {
    #expect(strip([.dns: 1, .wait: 1, .receive: 1]) == "dddwwwrr")
    #expect(strip([.send: 0.001, .wait: 10]) == "wwwwwwww")
  }

  @Test("Nothing took time: blank")
  func blank() {
    #expect(strip([:]) == "        ")
    #expect(strip([.wait: 0, .send: 0]) == "        ")
    #expect(strip([.wait: 1], width: 0) == "")
  }
}
