import Testing

@testable import TapelineHTTP

@Suite struct FramingFieldsTests {
  private let fields: HeaderFields = ["content-length": "007", "Transfer-encoding": "chunked", "Content-Length": "8"]

  private func written(_ framing: BodyFraming, _ fields: HeaderFields) -> String {
    var output: [UInt8] = []
    var writer = HeadWriter(taking: &output)
    var framingFields = FramingFields(framing)
    for index in fields.indices { framingFields.edit(fields, at: index, in: &writer) }
    writer.endLines(of: fields)
    framingFields.addMissing(in: &writer)
    framingFields.addMissing(in: &writer)
    writer.finish(into: &output)
    return String(decoding: output, as: UTF8.self)
  }

  @Test func theFieldIsWrittenOnceInItsPlace() {
    #expect(written(.length(7), fields) == "content-length: 7\r\n\r\n")
    #expect(written(.chunked, fields) == "Transfer-encoding: chunked\r\n\r\n")
    #expect(written(.none, fields) == "\r\n")
    #expect(written(.untilClose, fields) == "\r\n")
  }

  @Test func aFieldThatSaysItAlreadyIsKeptAsItCame() {
    #expect(written(.length(10), ["CONTENT-length": "10"]) == "CONTENT-length: 10\r\n\r\n")
    #expect(written(.length(0), ["Content-Length": "0"]) == "Content-Length: 0\r\n\r\n")
    #expect(written(.length(10), ["Content-Length": "010"]) == "Content-Length: 10\r\n\r\n")
    #expect(written(.chunked, ["Transfer-Encoding": "CHUNKED"]) == "Transfer-Encoding: CHUNKED\r\n\r\n")
  }

  @Test func aMissingFieldIsWrittenAtTheEndOnce() {
    #expect(written(.chunked, [:]) == "Transfer-Encoding: chunked\r\n\r\n")
  }
}
