import Testing

@testable import TapelineTransport

@Suite struct GatheredBodyTests {
  @Test func givesBackWhatItWasGivenInOrder() {
    var body = GatheredBody()
    #expect(body.take(atMost: 10) == nil)
    body.append([1, 2, 3])
    body.append([4, 5])
    body.end()
    #expect(body.count == 5)
    var pieces: [[UInt8]] = []
    while let piece = body.take(atMost: 2) { pieces.append(piece) }
    #expect(pieces == [[1, 2], [3, 4], [5]])
    #expect(body.isWhole)
  }

  @Test func takesBackWhatIsSentAgain() {
    var body = GatheredBody()
    body.append([1, 2, 3, 4])
    #expect(body.take(atMost: 2) == [1, 2])
    #expect(body.countNew(of: 2) == 2)
    body.putBack([[1], [2]], told: 2)
    #expect(body.take(atMost: 10) == [1, 2, 3, 4])
    #expect(body.countNew(of: 3) == 1 && body.countNew(of: 1) == 1, "nobody hears of the same bytes twice")
  }

  @Test func takesNoCopyOfAWhole() {
    var body = GatheredBody()
    body.append([1, 2, 3])
    #expect(body.take(atMost: 3) == [1, 2, 3])
    #expect(body.take(atMost: 3) == nil)
    #expect(!body.isWhole)
    body.append([4])
    #expect(body.take(atMost: 3) == [4])
  }
}
