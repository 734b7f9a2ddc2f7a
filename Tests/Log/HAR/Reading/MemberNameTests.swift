import Testing

@testable import TapelineHAR

struct MemberNameTests {
  @Test func namesWithEscapesAreTheSameNames() throws {
    let json = Array(#"{"\u0074ime":2,"comment":"x","_\"":1,"":3,"\u0000":4}"#.utf8)
    let entry = try HAREntry(json: json)
    #expect(entry.time == 2 && entry.comment == "x")
    #expect(entry.custom.members.map(\.name) == ["_\"", "", "\u{0}"])
  }

  @Test func partsOfNamesAreOtherNames() throws {
    let entry = try HAREntry(json: Array(#"{"tim":1,"times":2,"Time":3}"#.utf8))
    #expect(entry.time == -1 && entry.custom.members.count == 3)
  }
}
