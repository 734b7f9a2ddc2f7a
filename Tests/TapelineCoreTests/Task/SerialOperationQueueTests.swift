import Synchronization
import Testing

@testable import TapelineCore

@Suite struct SerialOperationQueueTests {
  private final class Log: Sendable {
    private let entries = Mutex<[String]>([])
    func add(_ entry: String) { entries.withLock { $0.append(entry) } }
    var all: [String] { entries.withLock { $0 } }
  }

  @Test func nothingRunsBeforeTheGateOpens() {
    let queue = SerialOperationQueue()
    let log = Log()
    let wantsDrain = queue.addOperation { log.add("first") }
    queue.drain()
    let isSuspended = queue.isSuspended
    #expect(!wantsDrain)
    #expect(isSuspended)
    #expect(log.all.isEmpty)
  }

  @Test func openingRunsEverythingInOrder() {
    let queue = SerialOperationQueue()
    let log = Log()
    for number in 0..<5 { _ = queue.addOperation { log.add("\(number)") } }
    queue.open()
    queue.open()
    #expect(log.all == ["0", "1", "2", "3", "4"])
    let isSuspended = queue.isSuspended
    #expect(!isSuspended)
  }

  @Test func aLateOperationAsksForADrain() {
    let queue = SerialOperationQueue()
    let log = Log()
    queue.open()
    let wantsDrain = queue.addOperation { log.add("late") }
    #expect(wantsDrain)
    #expect(log.all.isEmpty)
    queue.drain()
    #expect(log.all == ["late"])
  }

  @Test func anOperationMayAddAnother() {
    final class Box: Sendable {
      let queue = SerialOperationQueue()
    }
    let box = Box()
    let log = Log()
    _ = box.queue.addOperation {
      log.add("outer")
      // The queue is draining: it will come to the new one by itself.
      let wantsDrain = box.queue.addOperation { log.add("inner") }
      log.add("wants drain: \(wantsDrain)")
    }
    _ = box.queue.addOperation { log.add("second") }
    box.queue.open()
    #expect(log.all == ["outer", "wants drain: false", "second", "inner"])
  }
}
