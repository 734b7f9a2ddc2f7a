import TapelineRecorder
import Testing

@testable import TapelineLive

@Suite("Output name")
struct OutputNameTests {
  @Test(
    "The name has the time in UTC to the millisecond",
    arguments: [
      (0, "tapeline-19700101T000000.000Z.har"), (1_767_323_045_678_901_234, "tapeline-20260102T030405.678Z.har"),
      (951_782_400_009_999_999, "tapeline-20000229T000000.009Z.har"),
    ] as [(Int64, String)])
  func name(unixNanoseconds: Int64, name: String) {
    #expect(OutputName.standard(unixNanoseconds: unixNanoseconds) == name)
  }

  @Test("Recordings of the same moment get different names, and other errors are reported")
  func unused() throws {
    let taken = ["tapeline-19700101T000000.000Z.har", "tapeline-19700101T000000.001Z.har"]
    let name = try OutputName.beginUnused(from: 0) { (name) throws(RecorderError) in
      if name == taken[0] { throw .fileExists(path: name) }
      if name == taken[1] { throw .locked(path: name) }
      return name
    }
    #expect(name == "tapeline-19700101T000000.002Z.har")
    #expect(throws: RecorderError.fileExists(path: "other")) {
      try OutputName.beginUnused(from: 0) { (_) throws(RecorderError) in throw .fileExists(path: "other") }
    }
  }
}
