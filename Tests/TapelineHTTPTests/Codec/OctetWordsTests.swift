import Testing

@testable import TapelineHTTP

@Suite struct OctetWordsTests {
  @Test func theFirstLineFeedIsFoundAtEveryPlace() {
    for length in 0...25 {
      #expect([UInt8](repeating: 0x0B, count: length).span.firstLineFeed(from: 0) == length)
      for place in 0..<length {
        var octets = [UInt8](repeating: 0x0B, count: length)
        octets[place] = 0x0A
        for start in 0...place { #expect(octets.span.firstLineFeed(from: start) == place) }
        // A second one later is not taken for the first.
        octets[length - 1] = 0x0A
        #expect(octets.span.firstLineFeed(from: 0) == place)
      }
    }
  }

  @Test func controlsAreFoundAtEveryPlaceAndNothingElseIs() {
    for octet in UInt8.min...UInt8.max {
      let isControl = (octet < 0x20 && octet != 0x09) || octet == 0x7F
      for place in 0..<17 {
        var octets = [UInt8](repeating: 0x80, count: 17)
        octets[place] = octet
        #expect(octets.span.firstControl(from: 0) == (isControl ? place : 17), "octet \(octet) at \(place)")
      }
    }
  }

  @Test func tabsBeforeAControlHideNothing() {
    for place in 0..<20 {
      var octets = [UInt8](repeating: 0x09, count: 20)
      octets[place] = 0x00
      #expect(octets.span.firstControl(from: 0) == place)
    }
  }

  @Test func wordsAreLittleEndian() {
    let octets = Array(UInt8(1)...9)
    #expect(octets.span.word(at: 1) == 0x0908_0706_0504_0302)
  }

  @Test func aWordBeyondTheEndTraps() async {
    await #expect(processExitsWith: .failure) {
      let octets = [UInt8](repeating: 0, count: 7)
      _ = octets.span.word(at: 0)
    }
  }

  @Test func roomGrowsGeometrically() {
    var octets: [UInt8] = []
    var capacities: Set<Int> = []
    for _ in 0..<1000 {
      octets.reserveRoom(for: 16)
      octets.append(contentsOf: repeatElement(1, count: 16))
      capacities.insert(octets.capacity)
    }
    #expect(octets.count == 16_000)
    #expect(capacities.count < 20)
  }

  @Test func copiesAreExact() {
    let octets = Array(UInt8.min...UInt8.max)
    #expect([UInt8](copying: octets.span.extracting(3..<10)) == Array(3..<10))
    var output: [UInt8] = [9]
    output.append(3..<5, of: octets)
    #expect(output == [9, 3, 4])
  }
}
