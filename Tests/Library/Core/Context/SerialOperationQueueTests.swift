import Testing

@testable import TapelineCore

@Suite struct SerialOperationQueueTests {
  @Test("No operation runs before the gate opens")
  func nothingRunsBeforeTheGateOpens() {
    let queue = SerialOperationQueue()
    let log = EventLog()
    let wantsDrain = queue.enqueue { log.add("first") }
    queue.drain()
    let isSuspended = queue.isSuspended
    #expect(!wantsDrain)
    #expect(isSuspended)
    #expect(log.all.isEmpty)
  }

  @Test("Opening the gate runs the operations one by one, in the order added")
  func openingRunsEverythingInOrder() {
    let queue = SerialOperationQueue()
    let log = EventLog()
    for number in 0..<5 { _ = queue.enqueue { log.add("\(number)") } }
    queue.open()
    queue.open()
    #expect(log.all == ["0", "1", "2", "3", "4"])
    let isSuspended = queue.isSuspended
    #expect(!isSuspended)
  }

  @Test("An operation that is added to an open queue asks for a drain")
  func aLateOperationAsksForADrain() {
    let queue = SerialOperationQueue()
    let log = EventLog()
    queue.open()
    let wantsDrain = queue.enqueue { log.add("late") }
    #expect(wantsDrain)
    #expect(log.all.isEmpty)
    queue.drain()
    #expect(log.all == ["late"])
  }

  @Test("An operation may add another operation, which runs in its turn")
  func anOperationMayAddAnother() {
    final class Box: Sendable {
      let queue = SerialOperationQueue()
    }
    let box = Box()
    let log = EventLog()
    _ = box.queue.enqueue {
      log.add("outer")
      // The queue is draining: it will come to the new one by itself.
      let wantsDrain = box.queue.enqueue { log.add("inner") }
      log.add("wants drain: \(wantsDrain)")
    }
    _ = box.queue.enqueue { log.add("second") }
    box.queue.open()
    #expect(log.all == ["outer", "wants drain: false", "second", "inner"])
  }

  @Test("A queue suspended for another attempt keeps new operations and opens again")
  func aQueueIsSuspendedAgain() {
    let queue = SerialOperationQueue()
    let log = EventLog()
    queue.open()
    queue.suspend()
    let wantsDrain = queue.enqueue { log.add("kept") }
    queue.drain()
    let isSuspended = queue.isSuspended
    #expect(!wantsDrain)
    #expect(isSuspended)
    #expect(log.all.isEmpty)
    queue.open()
    #expect(log.all == ["kept"])
  }

  @Test("An operation that suspends the queue is the last to run until it is opened")
  func anOperationSuspendsItsQueue() {
    final class Holder: Sendable { let queue = SerialOperationQueue() }
    let holder = Holder()
    let log = EventLog()
    _ = holder.queue.enqueue { [unowned holder] in
      log.add("first")
      holder.queue.suspend()
    }
    _ = holder.queue.enqueue { log.add("second") }
    holder.queue.open()
    #expect(log.all == ["first"])
    holder.queue.open()
    #expect(log.all == ["first", "second"])
  }
}
