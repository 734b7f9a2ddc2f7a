import Testing

@testable import TapelineInspect

@Suite("Reservoir sample")
struct ReservoirSampleTests {
  @Test("All of few, in order")
  func few() {
    var sample = ReservoirSample(limit: 10)
    for value in [3.0, 1.234, 2] { sample.add(value) }
    #expect(sample.sorted == [1.234, 2, 3])
    #expect(sample.count == 3)
  }

  @Test("Of many, each has the same chance")
  func many() {
    var sample = ReservoirSample(limit: 1_000)
    for value in 0..<100_000 { sample.add(Double(value)) }
    #expect(sample.count == 100_000)
    let values = sample.sorted
    #expect(values.count == 1_000)
    #expect(Set(values).count == 1_000)
    // Four standard errors of a mean of a thousand uniform numbers.
    let mean = values.reduce(0, +) / 1_000
    #expect((46_300.0...53_700).contains(mean))
  }
}
