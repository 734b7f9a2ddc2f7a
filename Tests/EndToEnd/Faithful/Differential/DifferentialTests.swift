import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Rules 1 and 2: what is recorded is what would have happened without us, and what could not be so is in the log.
  ///
  /// Each table is played twice with the server itself, then through the program. Between two runs of one server these differ,
  /// and nothing else is forgiven: the value of `Date`, the boundary of `multipart/byteranges`, and where chunks are cut.
  @Suite struct Differential {
    @Test(arguments: Approach.allCases) func nginx(_ approach: Approach) throws {
      try DifferentialRun(Stage.nginx(), approach).expectNoDifference()
    }

    @Test(arguments: Approach.allCases) func apache(_ approach: Approach) throws {
      try DifferentialRun(Stage.apache(), approach).expectNoDifference()
    }

    @Test(arguments: Approach.allCases) func everyByte(_ approach: Approach) throws {
      try DifferentialRun(Stage.scripted(), approach).expectNoDifference()
    }

    @Test func thereAreThreeHundred() throws {
      let counts = try [Stage.nginx(), Stage.apache(), Stage.scripted()].map(\.table.count)
      #expect(counts.reduce(0, +) >= 300, "\(counts)")
    }
  }
}
