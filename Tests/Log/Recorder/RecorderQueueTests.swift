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
    let queue = RecorderQueue(limit: 40 * bare)
    // Two with bodies take 22 of the 30 parts that bodies may have, and 18 without take the rest.
    for id in 1...21 { queue.put(try exchange(id: UInt64(id), bodySize: 10 * bare)) }
    let batch = take(queue)
    #expect(batch.drafts.map(\.record.id) == Array(1...20))
    #expect(batch.droppedBodies == 18)
    #expect(batch.droppedRecords == 1)
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
}
