import Dispatch
import Synchronization
import TapelineCore
import Testing

@testable import TapelineRecorder

struct RecorderQueueTests {
  private func take(_ queue: RecorderQueue) -> RecorderBatch {
    var batch = RecorderBatch()
    queue.take(into: &batch, gatheringUntil: .now(), duty: nil)
    return batch
  }

  private func exchange(id: UInt64, bodySize: Int = 0) throws -> ExchangeRecord {
    try ExampleExchange.make(id: id, responseBody: ExampleExchange.body([UInt8](repeating: 0x61, count: bodySize)))
  }

  @Test func givesEverythingInOrder() throws {
    let queue = RecorderQueue(limit: 1 << 20)
    for id in 1...5 { queue.put(try exchange(id: UInt64(id))) }
    #expect(take(queue).drafts.map(\.record.id) == [1, 2, 3, 4, 5])
    queue.put(try exchange(id: 6))
    #expect(take(queue).drafts.map(\.record.id) == [6])
  }

  @Test func dropsBodiesFirstAndCountsThem() throws {
    let bare = try exchange(id: 0).bareSize
    // So large that two do not fit in the place of one exchange without.
    let body = 2 * bare
    let queue = RecorderQueue(limit: 3 * bare + body + 100)
    for id in 1...4 { queue.put(try exchange(id: UInt64(id), bodySize: body)) }
    let batch = take(queue)
    #expect(batch.drafts.map(\.record.id) == [1, 2, 3])
    #expect(batch.drafts.map(\.record.responseBody.bytes.count) == [body, 0, 0])
    #expect(batch.drafts.map(\.record.responseBody.size) == [UInt64](repeating: UInt64(body), count: 3))
    #expect(batch.droppedBodies == 2)
    #expect(batch.droppedRecords == 1)
  }

  @Test func bodiesLeaveAQuarterOfTheRoomToExchangesWithoutThem() throws {
    let bare = try exchange(id: 0).bareSize
    // Arrays have a little more room than was asked for.
    let queue = RecorderQueue(limit: 40 * bare + bare / 2)
    // Two with bodies take 22 of the 30 parts that bodies may have, and 18 without take the rest.
    for id in 1...21 { queue.put(try exchange(id: UInt64(id), bodySize: 10 * bare)) }
    let batch = take(queue)
    #expect(batch.drafts.map(\.record.id) == Array(1...20))
    #expect(batch.droppedBodies == 18)
    #expect(batch.droppedRecords == 1)
  }

  @Test func aBodyThatGrewCountsByTheRoomOfItsArray() throws {
    var record = try exchange(id: 1)
    record.responseBody = BodyCapture(limit: 1 << 20)
    for _ in 1...5 { record.responseBody.append([UInt8](repeating: 1, count: 16_375).span) }
    #expect(record.keptBodySize >= record.responseBody.bytes.capacity)
  }

  @Test func anExchangeWithoutBodyLosesNone() throws {
    let bare = try exchange(id: 0).bareSize
    let queue = RecorderQueue(limit: 2 * bare + 100)
    queue.put(try exchange(id: 1, bodySize: 200))
    queue.put(try exchange(id: 2))
    let batch = take(queue)
    #expect(batch.items.count == 1)
    #expect(batch.droppedBodies == 0)
    #expect(batch.droppedRecords == 1)
  }

  @Test func oneExchangeIsAlwaysLetIn() throws {
    let queue = RecorderQueue(limit: 10)
    queue.put(try exchange(id: 1, bodySize: 5_000))
    #expect(take(queue).drafts.first?.record.responseBody.bytes.count == 5_000)
  }

  @Test func thereIsRoomAgainWhenTaken() throws {
    let bare = try exchange(id: 0).bareSize
    let queue = RecorderQueue(limit: bare + 1)
    for id in 1...3 {
      queue.put(try exchange(id: UInt64(id)))
      queue.put(try exchange(id: 99))
      let batch = take(queue)
      #expect(batch.drafts.map(\.record.id) == [UInt64(id)])
      #expect(batch.droppedRecords == 1)
    }
  }

  @Test func rotationsStandBetweenTheExchanges() throws {
    let queue = RecorderQueue(limit: 1 << 20)
    queue.requestRotation()
    queue.put(try exchange(id: 1))
    queue.put(try exchange(id: 2))
    queue.requestRotation()
    queue.put(try exchange(id: 3))
    queue.close()
    queue.put(try exchange(id: 4))
    let batch = take(queue)
    #expect(batch.commands.map(\.position) == [0, 2])
    #expect(batch.drafts.map(\.record.id) == [1, 2, 3])
    let isLast = batch.isLast
    #expect(isLast)
  }

  @Test func nothingIsLostBetweenManyThreads() throws {
    let queue = RecorderQueue(limit: 1 << 30, fullBatchSize: 64 << 10)
    let perThread: UInt64 = 2_000
    let template = try exchange(id: 0)
    let taken = Mutex<[UInt64]>([])
    DispatchQueue.concurrentPerform(iterations: 5) { thread in
      guard thread < 4 else {
        taken.withLock { $0 = take(idsOf: 4 * Int(perThread), from: queue) }
        return
      }
      for number in 0..<perThread {
        queue.put(
          ExchangeRecord(
            id: UInt64(thread) * perThread + number, kind: .exchange, client: template.client, request: template.request,
            requestBody: template.requestBody, responseBody: template.responseBody, marks: template.marks,
            timeline: template.timeline))
      }
    }
    let ids = taken.withLock { $0 }
    for thread in 0..<UInt64(4) {
      let own = ids.filter { $0 / perThread == thread }
      #expect(own == Array(thread * perThread..<(thread + 1) * perThread))
    }
  }

  private func take(idsOf count: Int, from queue: RecorderQueue) -> [UInt64] {
    var batch = RecorderBatch()
    var ids: [UInt64] = []
    while ids.count < count {
      batch.clear()
      queue.take(into: &batch, gatheringUntil: .now() + .milliseconds(1), duty: nil)
      ids += batch.drafts.map(\.record.id)
    }
    return ids
  }

  @Test func closingWakesTheRecorder() {
    let queue = RecorderQueue(limit: 1 << 20)
    DispatchQueue.global().async { queue.close() }
    var batch = RecorderBatch()
    queue.take(into: &batch, gatheringUntil: .distantFuture, duty: nil)
    let isLast = batch.isLast
    #expect(isLast)
  }

  // MARK: Pieces

  @Test func whatPilesUpIsTakenInPiecesAndInOrder() throws {
    let queue = RecorderQueue(limit: 64 << 20)
    for id in 1...40 { queue.put(try exchange(id: UInt64(id), bodySize: 100 << 10)) }
    queue.requestRotation()
    queue.close()
    #expect(queue.backlog.exchanges == 40)
    var (ids, pieces, rotations, isLast): ([UInt64], Int, Int, Bool) = ([], 0, 0, false)
    var batch = RecorderBatch()
    while !isLast {
      batch.clear()
      queue.take(into: &batch, gatheringUntil: .distantFuture, duty: nil)
      pieces += 1
      ids += batch.drafts.map(\.record.id)
      rotations += batch.commands.count
      isLast = batch.isLast
      let (isFollowed, size) = (batch.isFollowed, batch.size)
      #expect(isFollowed == (pieces < 3) && size < 2 << 20)
      #expect(rotations == (isLast ? 1 : 0))
    }
    #expect(ids == (1...40).map(UInt64.init) && pieces == 4)
  }

  @Test func whatIsBeingWrittenTakesItsRoomUntilItIsWritten() throws {
    let bare = try exchange(id: 0).bareSize
    let queue = RecorderQueue(limit: 2 * bare + bare / 2)
    var batch = RecorderBatch()
    for id in 1...2 { queue.put(try exchange(id: UInt64(id))) }
    queue.take(into: &batch, gatheringUntil: .now(), duty: nil)
    #expect(queue.backlog.bytes == 2 * bare && queue.backlog.exchanges == 0)
    for id in 3...4 { queue.put(try exchange(id: UInt64(id))) }
    #expect(queue.backlog.droppedRecords == 1)
    batch.clear()
    queue.take(into: &batch, gatheringUntil: .now(), duty: nil)
    #expect(batch.drafts.map(\.record.id) == [3] && batch.droppedRecords == 1)
    #expect(queue.backlog.droppedRecords == 0)
    queue.put(try exchange(id: 5))
    #expect(queue.backlog.exchanges == 1)
  }

  @Test func whatWasDroppedIsToldThoughNothingFollows() throws {
    // One piece that fills the queue.
    let queue = RecorderQueue(limit: 1 << 20)
    queue.put(try exchange(id: 1, bodySize: 1 << 20))
    queue.put(try exchange(id: 2))
    #expect(take(queue).drafts.map(\.record.id) == [1])
    let rest = take(queue)
    #expect(rest.items.isEmpty && rest.droppedRecords == 1)
  }

  // MARK: Holding back

  @Test func aRecorderThatIsWaitedForDropsNothingThatReachedAServer() throws {
    let bare = try exchange(id: 0).bareSize
    let queue = RecorderQueue(limit: 10 * bare, overload: .wait(patience: .seconds(30)))
    for id in 1...6 { queue.put(try exchange(id: UInt64(id))) }
    #expect(!queue.lagsBehind)
    for id in 7...30 { queue.put(try exchange(id: UInt64(id), bodySize: bare)) }
    #expect(queue.lagsBehind)
    var refused = try ExampleExchange.refused()
    refused.attempts = 0
    queue.put(refused)
    let batch = take(queue)
    #expect(batch.drafts.map(\.record.id) == (1...30).map(UInt64.init))
    #expect(batch.drafts.last?.record.responseBody.bytes.count == bare)
    #expect(batch.droppedBodies == 0)
    #expect(batch.droppedRecords == 1, "what asks no server is not held back, and so has a bound")
  }

  @Test func exchangesMayBeginAgainWhenHalfTheRoomIsFree() throws {
    let bare = try exchange(id: 0).bareSize
    let queue = RecorderQueue(limit: 10 * bare, overload: .wait(patience: .seconds(30)))
    let told = Mutex(0)
    for id in 1...8 { queue.put(try exchange(id: UInt64(id))) }
    queue.awaitRoom { told.withLock { $0 += 1 } }
    var batch = RecorderBatch()
    queue.take(into: &batch, gatheringUntil: .now(), duty: nil)
    // They are not written yet.
    #expect(queue.lagsBehind && told.withLock { $0 } == 0)
    batch.clear()
    queue.put(try exchange(id: 9))
    queue.take(into: &batch, gatheringUntil: .now(), duty: nil)
    #expect(!queue.lagsBehind && told.withLock { $0 } == 1)
    queue.awaitRoom { told.withLock { $0 += 1 } }
    #expect(told.withLock { $0 } == 2, "there is room at once")
  }

  @Test func withoutPatienceItDropsAndHoldsNobodyBack() throws {
    let bare = try exchange(id: 0).bareSize
    let queue = RecorderQueue(limit: 10 * bare, overload: .wait(patience: .zero))
    let told = Mutex(0)
    for id in 1...10 { queue.put(try exchange(id: UInt64(id))) }
    queue.awaitRoom { told.withLock { $0 += 1 } }
    #expect(queue.backlog.holdsBack)
    queue.endHoldingBack()
    #expect(!queue.lagsBehind && told.withLock { $0 } == 1)
    queue.put(try exchange(id: 11))
    #expect(!queue.lagsBehind && !queue.backlog.holdsBack && queue.backlog.droppedRecords == 1)
  }

  @Test func aRestEndsWhenTheQueueIsClosed() {
    let queue = RecorderQueue(limit: 1 << 20)
    #expect(queue.rest(for: .nanoseconds(1)))
    DispatchQueue.global().async { queue.close() }
    #expect(!queue.rest(for: .seconds(3_600)))
    #expect(!queue.rest(for: .seconds(3_600)))
  }
}
