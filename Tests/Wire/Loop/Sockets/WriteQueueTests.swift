import TapelineSystem
import Testing

@testable import TapelineLoop

struct WriteQueueTests {
  /// What one system call would be offered.
  private func offered(_ queue: borrowing WriteQueue, followedBy extra: [UInt8] = []) -> [[UInt8]] {
    unsafe extra.withUnsafeBytes { extra in
      unsafe queue.withUnsafePieces(followedBy: extra) { bytes in
        unsafe [Array(bytes)]
      } several: { vectors in
        unsafe vectors.map { unsafe Array(UnsafeRawBufferPointer(start: $0.start, count: $0.count)) }
      }
    }
  }

  @Test func smallWritesGatherInOnePiece() {
    var queue = WriteQueue()
    queue.append([1, 2].span)
    queue.append { $0.append(3) }
    queue.append([4])
    let count = queue.count
    #expect(count == 4)
    #expect(offered(queue) == [[1, 2, 3, 4]])
    #expect(offered(queue, followedBy: [5]) == [[1, 2, 3, 4], [5]])
  }

  @Test func largeChunksKeepTheirPlace() {
    let large = [UInt8](repeating: 9, count: WriteQueue.largeSize)
    var queue = WriteQueue()
    queue.append([1].span)
    queue.append(large)
    queue.append([2].span)
    #expect(offered(queue) == [[1], large, [2]])
    queue.remove(1)
    #expect(offered(queue) == [large, [2]])
    queue.remove(1)
    #expect(offered(queue) == [Array(large.dropFirst()), [2]])
    let waiting = queue.waiting
    #expect(waiting == large.dropFirst() + [2])
    queue.remove(large.count - 1)
    #expect(offered(queue) == [[2]])
    queue.remove(1)
    let isEmpty = queue.isEmpty
    #expect(isEmpty)
    #expect(offered(queue, followedBy: [7]) == [[7]])
  }

  @Test(arguments: 0...70)
  func everyPartialWriteLeavesTheRest(_ written: Int) {
    var queue = WriteQueue()
    var all: [UInt8] = []
    for index in 0..<7 {
      let piece = [UInt8](repeating: UInt8(index), count: 10)
      all += piece
      queue.append(piece.span)
      if index == 3 { queue.append([]) }
    }
    queue.remove(written)
    let count = queue.count
    #expect(count == all.count - written)
    #expect(offered(queue).flatMap { $0 } == Array(all.dropFirst(written)))
  }

  @Test func offersABoundedNumberOfPieces() {
    let large = [UInt8](repeating: 1, count: WriteQueue.largeSize)
    var queue = WriteQueue()
    for _ in 0..<40 { queue.append(large) }
    #expect(offered(queue, followedBy: [1]).count == WriteQueue.vectorLimit)
    queue.remove(large.count * 38)
    #expect(offered(queue, followedBy: [1]) == [large, large, [1]])
  }

  @Test(arguments: [0, 1, 50_000])
  func whatIsCopiedWaitsInSegments(before: Int) {
    let first = [UInt8](repeating: 1, count: before)
    let large = (0..<6 * WriteQueue.segmentSize + 5).map { UInt8(truncatingIfNeeded: $0 / 251) }
    var queue = WriteQueue()
    queue.append(first.span)
    queue.append(large.span)
    let count = queue.count
    #expect(count == first.count + large.count)
    let pieces = offered(queue)
    #expect(pieces.allSatisfy { $0.count <= WriteQueue.segmentSize })
    #expect(pieces.flatMap { $0 } == first + large)
    var capacity = 0
    queue.append { capacity = $0.capacity }
    #expect(capacity <= 2 * WriteQueue.segmentSize)
  }

  @Test func aQueueThatNeverRunsDryForgetsWhatHasLeft() {
    var queue = WriteQueue()
    var capacity = 0
    for _ in 0..<1000 {
      queue.append([UInt8](repeating: 1, count: 1000).span)
      queue.remove(queue.count - 1)
      queue.append { capacity = max(capacity, $0.capacity) }
    }
    #expect(capacity <= 4 * WriteQueue.segmentSize)
    let count = queue.count
    #expect(count == 1)
  }

  @Test func givesAndTakesItsBuffer() {
    var queue = WriteQueue()
    let wantsAtFirst = queue.wantsBuffer
    var buffer: [UInt8] = []
    buffer.reserveCapacity(5000)
    queue.useBuffer(buffer)
    queue.append([1].span)
    let wantsMeanwhile = queue.wantsBuffer
    queue.remove(1)
    let taken = queue.takeBuffer()
    #expect(taken.isEmpty && taken.capacity >= 5000)
    let wantsAtLast = queue.wantsBuffer
    #expect(wantsAtFirst && !wantsMeanwhile && wantsAtLast)
  }
}
