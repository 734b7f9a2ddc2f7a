import Testing

@testable import TapelineCore

@Suite struct OnceTests {
  @Test func theFirstClaimWins() async {
    let once = Once()
    let wins = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<32 { group.addTask { once.claim() } }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(wins == 1)
  }
}
