import TapelineHAR
import Testing

struct HARPathTests {
  @Test func isAJSONPath() {
    #expect(HARPath.log["entries"][3]["timings"]["ssl"].description == "$.log.entries[3].timings.ssl")
    #expect(HARPath(steps: []).description == "$")
  }

  @Test func namesThatAreNoIdentifiersStandInBrackets() {
    #expect(HARPath.log["a b"]["1"]["q\"'"][""]["é"].description == #"$.log["a b"]["1"]["q\"'"][""]["é"]"#)
    #expect(HARPath.log["_x1"].description == "$.log._x1")
  }
}
