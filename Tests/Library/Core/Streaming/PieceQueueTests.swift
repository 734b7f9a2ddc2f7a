import Testing

@testable import TapelineCore

@Suite struct PieceQueueTests {
  @Test("The oldest piece goes first, even after a piece was put back")
  func order() {
    var queue = PieceQueue<Int>()
    var taken: [Int] = []
    for number in 0..<5 { queue.append(number) }
    taken.append(queue.popFirst() ?? -1)
    queue.append(5)
    let second = queue.popFirst() ?? -1
    queue.putBack(second)
    while let number = queue.popFirst() { taken.append(number) }
    #expect(taken == [0, 1, 2, 3, 4, 5])
    #expect(queue.popFirst() == nil)
  }

  @Test("Taking the rest gives the oldest first")
  func rest() {
    var queue = PieceQueue<Int>()
    for number in 0..<3 { queue.append(number) }
    _ = queue.popFirst()
    queue.append(3)
    #expect(queue.takeAll() == [1, 2, 3])
    #expect(queue.popFirst() == nil)
  }
}
