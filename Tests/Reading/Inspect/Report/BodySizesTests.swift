import Testing

@testable import TapelineInspect

@Suite("Sizes of bodies")
struct BodySizesTests {
  private static func sizes(_ values: [Int]) -> BodySizes {
    var sizes = BodySizes()
    for value in values { sizes.add(value) }
    return sizes
  }

  @Test("Nothing is cut where everything fits")
  func fits() {
    #expect(Self.sizes([]).limit(within: 0) == nil)
    #expect(Self.sizes([0, 10, 20]).limit(within: 30) == nil)
  }

  @Test("All bodies cut to the limit fit, and no more is cut than an eighth asks for", arguments: [0, 1, 15, 100, 5_000, 99_999])
  func water(budget: Int) throws {
    let values = [3, 15, 16, 17, 900, 1_000, 1_024, 70_000, 70_001, 1 << 20]
    let limit = try #require(Self.sizes(values).limit(within: budget))
    let kept = values.reduce(0) { $0 + min($1, limit) }
    #expect(kept <= budget)
    let next = values.reduce(0) { $0 + min($1, limit + limit / 4 + 1) }
    #expect(next > budget)
  }

  @Test("Sizes that no log has take no more memory")
  func enormous() throws {
    let limit = try #require(Self.sizes([.max / 4, 10]).limit(within: 1_000))
    #expect((10...1_000).contains(limit))
  }
}
