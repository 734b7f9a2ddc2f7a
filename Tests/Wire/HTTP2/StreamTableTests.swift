import Testing

@testable import TapelineHTTP2

@Suite("The streams of a connection")
struct StreamTableTests {
  @Test("A table answers as a dictionary does, and keeps the order of the numbers")
  func sameAsADictionary() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      var table = StreamTable<Int>()
      var dictionary: [HTTP2StreamID: Int] = [:]
      for step in 0..<60 {
        let stream = HTTP2StreamID.random(in: 1...20, using: &random)
        let value: Int? = Bool.random(using: &random) ? step : nil
        table[stream] = value
        dictionary[stream] = value
        #expect(table.isEmpty == dictionary.isEmpty)
        for stream: HTTP2StreamID in 0...21 { #expect(table[stream] == dictionary[stream]) }
        #expect(table.values == dictionary.sorted { $0.key < $1.key }.map(\.value))
      }
    }
  }

  @Test("A stream that is not there can be removed")
  func absent() {
    var table = StreamTable<Int>()
    table[1] = nil
    #expect(table.isEmpty)
    table[3] = 3
    table[1] = nil
    table[5] = nil
    #expect(table.values == [3])
  }
}
