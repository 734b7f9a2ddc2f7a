import Testing

@testable import TapelineCore

@Suite struct RequestStateTests {
  /// The closed table of the specification, row = from, column = to.
  private let table: [(Request.State, [Request.State])] = [
    (.initialized, [.initialized, .resumed, .suspended, .cancelled, .finished]),
    (.resumed, [.suspended, .cancelled, .finished]),
    (.suspended, [.resumed, .cancelled, .finished]),
    (.cancelled, []),
    (.finished, []),
  ]

  @Test func everyPairIsAsTheTableSays() {
    #expect(table.map(\.0) == Request.State.allCases)
    for (from, allowed) in table {
      for next in Request.State.allCases {
        #expect(from.canTransition(to: next) == allowed.contains(next), "\(from) to \(next)")
      }
    }
  }
}
