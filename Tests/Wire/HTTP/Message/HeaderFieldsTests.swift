import Testing

@testable import TapelineHTTP

@Suite struct HeaderFieldsTests {
  private let fields: HeaderFields = ["Host": "a", "x-one": "1", "X-One": "2", "Via": "1.0 b"]

  @Test func orderSpellingAndDuplicatesAreKept() {
    #expect(fields.map(\.name) == ["Host", "x-one", "X-One", "Via"])
    #expect(fields.map(\.value) == ["a", "1", "2", "1.0 b"])
    #expect(fields.count == 4)
    #expect(fields[2] == HeaderField(name: "X-One", value: "2"))
  }

  @Test func namesAreClassifiedOnce() {
    #expect(fields.indices.map { fields.knownName(at: $0) } == [.host, .other, .other, .via])
  }

  @Test func equalityIsByBytes() {
    #expect(fields == HeaderFields([("Host", "a"), ("x-one", "1"), ("X-One", "2"), ("Via", "1.0 b")]))
    #expect(fields != ["host": "a", "x-one": "1", "X-One": "2", "Via": "1.0 b"])
    #expect(fields != ["Host": "a", "x-one": "1", "X-One": "2"])
    #expect(HeaderFields() == [:])
  }

  @Test func equalityDoesNotDependOnTheBytesAround() throws {
    let came = try requestHead("GET / HTTP/1.1\r\nHost:a\r\nX:  b \t\r\n\r\n").fields
    #expect(came == ["Host": "a", "X": "b"])
  }

  @Test func bytesAreReachedInPlace() {
    #expect(fields.withNameBytes(at: 3) { $0.count } == 3)
    #expect(fields.withValueBytes(at: 3) { $0[0] } == UInt8(ascii: "1"))
    #expect(Array(fields.bytes[fields.valueRange(at: 3)]) == Array("1.0 b".utf8))
  }

  @Test func aCopyIsNotChangedByAppending() {
    var copy = fields
    copy.append(name: "Date", value: "now")
    #expect(fields.count == 4)
    #expect(copy.count == 5)
    #expect(copy[4].value == "now")
  }

  @Test func appendingTakesNoLineEnd() async {
    await #expect(processExitsWith: .failure) {
      var fields = HeaderFields()
      fields.append(name: "X", value: "a\r\nY: b")
    }
  }
}
