import Testing

@testable import TapelineHTTP

@Suite struct FieldLineTests {
  @Test func aLineHasItsRanges() {
    let line = FieldLine(name: 10..<14, value: 16..<20, knownName: .host, end: 22)
    #expect(line.nameRange == 10..<14)
    #expect(line.valueRange == 16..<20)
    #expect(line.verbatimRange == 10..<22)
    #expect(line.knownName == .host)
  }

  @Test func aMendedLineIsNotSentOnAsItCame() {
    #expect(FieldLine(name: 0..<1, value: 2..<3, knownName: .other, end: nil).verbatimRange == nil)
  }
}
