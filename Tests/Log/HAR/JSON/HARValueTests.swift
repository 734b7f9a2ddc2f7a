import Testing

@testable import TapelineHAR

struct HARValueTests {
  private let value: HARValue = ["name": "x", "size": 3, "ok": true, "list": [1, "two"], "none": .null]

  @Test func givesWhatItHolds() {
    #expect(value["name"]?.string == "x")
    #expect(value["size"]?.integer == 3)
    #expect(value["size"]?.double == 3)
    #expect(value["ok"]?.bool == true)
    #expect(value["list"]?.array == [1, "two"])
    #expect(value["none"] == .null)
    #expect(value["absent"] == nil)
    #expect(value["name"]?.integer == nil)
    #expect(value["list"]?["name"] == nil)
  }

  @Test func isWrittenInOrder() {
    var writer = JSONWriter()
    writer.append(value: value)
    #expect(writer.text == #"{"name":"x","size":3,"ok":true,"list":[1,"two"],"none":null}"#)
  }

  @Test(arguments: ["0", "-0", "1.0", "1E400", "123456789012345678901234567890", "0.10"])
  func numbersKeepTheirText(text: String) throws {
    let value = try HARValue(json: Array(text.utf8).span)
    #expect(value.json == Array(text.utf8))
  }

  @Test func wholeNumbersAreIntegersHoweverWritten() {
    #expect(HARNumber(checked: "12.0").integer == 12)
    #expect(HARNumber(checked: "1e3").integer == 1_000)
    #expect(HARNumber(checked: "1.5").integer == nil)
    #expect(HARNumber(checked: "1e30").integer == nil)
    #expect(HARNumber(2.0).text == "2")
    #expect(HARNumber(-2.25).text == "-2.25")
  }
}

struct HARObjectTests {
  @Test func theLastOfANameCounts() {
    let object: HARObject = ["a": 1, "b": 2, "a": 3]
    #expect(object["a"] == 3)
    #expect(object.members.count == 3)
  }

  @Test func setsWhereItStands() {
    var object: HARObject = ["a": 1, "b": 2]
    object["a"] = 5
    object["c"] = 6
    object["b"] = nil
    #expect(object == ["a": 5, "c": 6])
  }
}
