import Testing

@testable import TapelineHTTP

@Suite struct FramingFieldsTests {
  private let fields: HeaderFields = ["content-length": "007", "Transfer-encoding": "chunked", "Content-Length": "8"]

  private func written(_ framing: BodyFraming) -> String {
    var output: [UInt8] = []
    var framingFields = FramingFields(framing)
    for index in fields.indices { framingFields.replace(fields, at: index, into: &output) }
    framingFields.appendMissing(into: &output)
    return String(decoding: output, as: UTF8.self)
  }

  @Test func theFieldIsWrittenOnceInItsPlace() {
    #expect(written(.length(7)) == "content-length: 7\r\n")
    #expect(written(.chunked) == "Transfer-encoding: chunked\r\n")
    #expect(written(.none) == "")
    #expect(written(.untilClose) == "")
  }

  @Test func aMissingFieldIsWrittenAtTheEnd() {
    var output: [UInt8] = []
    var framingFields = FramingFields(.chunked)
    framingFields.appendMissing(into: &output)
    framingFields.appendMissing(into: &output)
    #expect(String(decoding: output, as: UTF8.self) == "Transfer-Encoding: chunked\r\n")
  }
}
