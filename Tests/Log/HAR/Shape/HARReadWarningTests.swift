import TapelineHAR
import Testing

struct HARReadWarningTests {
  @Test func saysWhereAndWhat() {
    let warning = HARReadWarning(
      path: HARPath.log["entries"][0]["time"], kind: .wrongType(expected: "a number", found: "an array"))
    #expect(warning.description == "$.log.entries[0].time: expected a number, found an array")
  }

  @Test func theReaderTellsThemBeforeTheEntry() throws {
    var reader = HARReader(reportsWarnings: true)
    reader.feed(Array(#"{"log":{"version":1.2,"entries":[{"time":"12","connection":443}]}}"#.utf8))
    reader.finish()
    var told: [String] = []
    while let event = try reader.next() {
      switch event {
      case .warning(let warning): told.append(warning.path.description)
      case .entry(let entry): told.append("entry \(entry.time) \(entry.connection ?? "")")
      case .member(let member): told.append(member.name)
      case .version, .creator, .browser, .page, .comment, .beside, .unreadable: told.append("other")
      }
    }
    #expect(told.first == "$.log.version" && told[1] == "version" && told.last == "entry 12.0 443")
    #expect(Set(["$.log.entries[0].time", "$.log.entries[0].connection", "$.log.entries[0].request"]).isSubset(of: told))
  }
}
