import Testing

@testable import TapelineInspect

@Suite("Ordered sample")
struct OrderedSampleTests {
  @Test("All of few, in order")
  func few() {
    var sample = OrderedSample(limit: 10)
    for (place, value) in [3.0, 1.234, 2].enumerated() { sample.add(value, at: place) }
    #expect(sample.inOrder == [3, 1.234, 2])
    #expect(sample.sorted == [1.234, 2, 3])
    #expect(sample.count == 3)
  }

  @Test("Of many, each has the same chance")
  func many() {
    var sample = OrderedSample(limit: 1_000)
    for value in 0..<100_000 { sample.add(Double(value), at: value) }
    #expect(sample.count == 100_000)
    let values = sample.inOrder
    #expect((500...1_000).contains(values.count))
    #expect(values == values.sorted())
    // Four standard errors of a mean of five hundred uniform numbers.
    let mean = values.reduce(0, +) / Double(values.count)
    #expect((44_800.0...55_200).contains(mean))
  }

  @Test("Two samples keep the same places, also if some exchanges of one had no time")
  func pairs() {
    var before = OrderedSample(limit: 100)
    var after = OrderedSample(limit: 100)
    for place in 0..<5_000 {
      before.add(Double(place), at: place)
      if !place.isMultiple(of: 7) { after.add(Double(place) + 0.5, at: place) }
    }
    let pairs = OrderedSample.pairs(before, after)
    #expect(pairs.count >= 40)
    #expect(pairs.allSatisfy { $0.after == $0.before + 0.5 })
  }
}
