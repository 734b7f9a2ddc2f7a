import Testing

@testable import TapelineHAR

struct HAREntryPagerefTests {
  private func changed(_ json: String) throws -> String {
    String(decoding: try HAREntry.json(Array(json.utf8), pageref: "p\"2"), as: UTF8.self)
  }

  @Test func onlyThePagerefChanges() throws {
    #expect(
      try changed(#"{ "time":1.50, "request":{"pageref":"x"}, "pageref" : "p" , "_a":[{"pageref":"y"}]}"#)
        == #"{ "time":1.50, "request":{"pageref":"x"}, "pageref" : "p\"2" , "_a":[{"pageref":"y"}]}"#)
  }

  @Test func withoutOneNothingDoes() throws {
    #expect(try changed("{\"time\":1}") == "{\"time\":1}")
    #expect(throws: HARReadError.self) { try changed("[]") }
  }
}
