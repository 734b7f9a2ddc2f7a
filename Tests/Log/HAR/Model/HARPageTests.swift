import Testing

@testable import TapelineHAR

struct HARPageTests {
  @Test func isReadFromItsBytes() throws {
    let page = HARPage(startedDateTime: "d", id: "p", title: "t", pageTimings: HARPageTimings(onLoad: 1), custom: ["_x": 1])
    var writer = JSONWriter()
    writer.append(page: page)
    #expect(try HARPage(json: writer.bytes.span) == page)
    #expect(throws: HARReadError.self) { try HARPage(json: Array("[]".utf8).span) }
    #expect(throws: HARReadError.self) { try HARPage(json: Array("{} {}".utf8).span) }
  }

  @Test func idsThatAreTakenGetANumber() {
    #expect(HARPage.unusedID(like: "a", in: ["b"]) == "a")
    #expect(HARPage.unusedID(like: "a", in: ["a", "a-2", "a-3"]) == "a-4")
  }
}
