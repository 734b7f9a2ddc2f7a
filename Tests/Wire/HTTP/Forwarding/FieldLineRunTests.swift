import Testing

@testable import TapelineHTTP

@Suite struct FieldLineRunTests {
  @Test func linesAreCopiedAsTheyCameUnlessMended() throws {
    let fields = try responseHead("HTTP/1.1 200 OK\r\nA:1\r\nB: \t2 \r\nC : 3\r\nD: 4\r\nE: 5\r\n\r\n").fields
    var output: [UInt8] = []
    var run = FieldLineRun()
    for index in fields.indices where index != 3 { run.append(fields, at: index, into: &output) }
    run.flush(fields, into: &output)
    run.flush(fields, into: &output)
    #expect(String(decoding: output, as: UTF8.self) == "A:1\r\nB: \t2 \r\nC: 3\r\nE: 5\r\n")
  }
}
