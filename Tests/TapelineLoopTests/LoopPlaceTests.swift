import Testing

@testable import TapelineLoop

@Suite("Where a loop runs")
struct LoopPlaceTests {
  private let seats = LoopPlace.Seats()
  private let scarce = LoopPlace.scarcity

  @Test(
    "It goes where three quarters of its clients' bytes come",
    arguments: [
      ([1, 1, 1, 1], 0, 1), ([1, 1, 1, 0], 0, 1), ([1, 1, 1, 1], 1, nil), ([1, 1, 0, 0], 0, nil), ([1, 1, 2, 3], 0, nil),
      ([], 0, nil), ([7], 3, 7),
    ] as [([Int32], Int32, Int32?)])
  func majority(_ clients: [Int32], own: Int32, target: Int32?) {
    var place = LoopPlace(among: seats)
    #expect(place.target(clients: clients, own: own, interruptions: scarce) == target)
  }

  @Test("It stays while nobody takes its processor, as then others idle")
  func scarcity() {
    var place = LoopPlace(among: seats)
    #expect(place.target(clients: [1], own: 0, interruptions: scarce - 1) == nil)
    #expect(place.target(clients: [1], own: 0, interruptions: 2 * scarce - 1) == 1)
    #expect(place.target(clients: [1], own: 0, interruptions: 2 * scarce) == nil)
  }

  @Test("Loops that are where the others' clients are change places")
  func crossed() {
    var (first, second) = (LoopPlace(among: seats), LoopPlace(among: seats))
    #expect(first.target(clients: [1, 1], own: 0, interruptions: scarce) == 1)
    #expect(second.target(clients: [0, 0], own: 1, interruptions: scarce) == 0)
    #expect(first.target(clients: [1, 1], own: 1, interruptions: 2 * scarce) == nil)
  }

  @Test("Only one loop goes to a processor, until that one's clients rest or go elsewhere", arguments: [[], [2]] as [[Int32]])
  func taken(_ later: [Int32]) {
    var (first, second) = (LoopPlace(among: seats), LoopPlace(among: seats))
    #expect(first.target(clients: [1], own: 1, interruptions: scarce) == nil)
    #expect(second.target(clients: [1], own: 0, interruptions: scarce) == nil)
    _ = first.target(clients: later, own: 1, interruptions: 2 * scarce)
    #expect(second.target(clients: [1], own: 0, interruptions: 2 * scarce) == 1)
  }
}
