import TapelineBase
import Testing

@testable import TapelineHTTP

@Suite struct ByteWordsTests {
  @Test func theFirstLineFeedIsFoundAtEveryPlace() {
    for length in 0...25 {
      #expect([UInt8](repeating: 0x0B, count: length).span.firstLineFeed(from: 0) == length)
      for place in 0..<length {
        var bytes = [UInt8](repeating: 0x0B, count: length)
        bytes[place] = 0x0A
        for start in 0...place { #expect(bytes.span.firstLineFeed(from: start) == place) }
        // A second one later is not taken for the first.
        bytes[length - 1] = 0x0A
        #expect(bytes.span.firstLineFeed(from: 0) == place)
      }
    }
  }

  @Test func controlsAreFoundAtEveryPlaceAndNothingElseIs() {
    for byte in UInt8.min...UInt8.max {
      let isControl = (byte < 0x20 && byte != 0x09) || byte == 0x7F
      for place in 0..<17 {
        var bytes = [UInt8](repeating: 0x80, count: 17)
        bytes[place] = byte
        #expect(bytes.span.firstControl(from: 0) == (isControl ? place : 17), "byte \(byte) at \(place)")
      }
    }
  }

  @Test func searchesBeginAndEndAnywhere() {
    for length in 0...26 {
      for start in 0...length {
        #expect([UInt8](repeating: 0x61, count: length).span.firstControl(from: start) == length)
        #expect([UInt8](repeating: 0x61, count: length).span.firstNonToken(from: start) == length)
        for place in 0..<length {
          // One before the start is not found.
          var bytes = [UInt8](repeating: 0x61, count: length)
          bytes[place] = 0x01
          let found = place < start ? length : place
          #expect(bytes.span.firstControl(from: start) == found, "\(place) of \(length) from \(start)")
          #expect(bytes.span.firstNonToken(from: start) == found, "\(place) of \(length) from \(start)")
        }
      }
    }
  }

  @Test func tabsBeforeAControlHideNothing() {
    for place in 0..<20 {
      var bytes = [UInt8](repeating: 0x09, count: 20)
      bytes[place] = 0x00
      #expect(bytes.span.firstControl(from: 0) == place)
    }
  }

  @Test func wordsAreLittleEndian() {
    let bytes = Array(UInt8(1)...9)
    #expect(bytes.span.word(at: 1) == 0x0908_0706_0504_0302)
  }

  @Test func aWordBeyondTheEndTraps() async {
    await #expect(processExitsWith: .failure) {
      let bytes = [UInt8](repeating: 0, count: 7)
      _ = bytes.span.word(at: 0)
    }
  }

  @Test func roomGrowsGeometrically() {
    var bytes: [UInt8] = []
    var capacities: Set<Int> = []
    for _ in 0..<1000 {
      bytes.reserveRoom(for: 16)
      bytes.append(contentsOf: repeatElement(1, count: 16))
      capacities.insert(bytes.capacity)
    }
    #expect(bytes.count == 16_000)
    #expect(capacities.count < 20)
  }

  @Test func copiesAreExact() {
    let bytes = Array(UInt8.min...UInt8.max)
    #expect([UInt8](copying: bytes.span.extracting(3..<10)) == Array(3..<10))
    var output: [UInt8] = [9]
    output.append(3..<5, of: bytes)
    #expect(output == [9, 3, 4])
  }
}
