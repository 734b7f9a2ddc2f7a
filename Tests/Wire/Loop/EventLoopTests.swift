import Synchronization
import TapelineSystem
import Testing

@testable import TapelineLoop

struct EventLoopTests {
  @Test func runsUntilStopped() throws {
    let loop = try EventLoop()
    loop.stop()
    loop.run()
    loop.execute { loop.stop() }
    loop.run()
  }

  @Test func belongsToItsMakerThenToItsRunner() throws {
    let loop = try EventLoop()
    #expect(loop.isCurrent)
    loop.handOver()
    #expect(!loop.isCurrent)
    let thread = try SystemThread(name: "runner") { loop.run() }
    #expect(loop.executeAndWait { loop.isCurrent })
    #expect(!loop.isCurrent)
    loop.stop()
    thread.join()
  }

  @Test func jobsFromManyThreadsAllRunInTheOrderOfEach() throws {
    let group = try EventLoopGroup(threads: 1)
    let loop = group.loops[0]
    let seen = Mutex<[[Int]]>(Array(repeating: [], count: 4))
    var threads: [SystemThread] = []
    for number in 0..<4 {
      threads.append(
        try SystemThread(name: "poster-\(number)") {
          for job in 0..<2500 {
            loop.execute { seen.withLock { $0[number].append(job) } }
          }
        })
    }
    for thread in threads { thread.join() }
    // Posted after all of them, so it runs after all of them.
    loop.executeAndWait {}
    #expect(seen.withLock { $0 } == Array(repeating: Array(0..<2500), count: 4))
    group.shutdown()
  }

  @Test func jobsFromTheLoopRunAfterTheCallbackInOrder() throws {
    let loop = try EventLoop()
    let log = Log()
    loop.enqueueLocal {
      log.add("callback begins")
      loop.execute { log.add("first") }
      loop.enqueueLocal {
        log.add("second")
        loop.enqueueLocal {
          log.add("nested")
          loop.stop()
        }
      }
      log.add("callback ends")
    }
    #expect(log.lines.isEmpty)
    loop.serve()
    #expect(log.lines == ["callback begins", "callback ends", "first", "second", "nested"])
  }

  /// Notes what the peer of a channel has when the turn's last work is done.
  private final class LastWorker: EndOfTurnWorker {
    let peer: Peer
    private(set) var seen: [UInt8]?

    init(_ peer: Peer) { self.peer = peer }

    func finishTurn() {
      peer.receive()
      seen = peer.received
    }
  }

  @Test func whatNobodyWaitsForComesAfterTheOutput() throws {
    let loop = try EventLoop()
    let (channel, peer, _) = try makeChannel(on: loop)
    let worker = LastWorker(peer)
    loop.enqueueLast(worker)
    channel.write([1])
    loop.enqueueLocal {
      channel.write([2])
      loop.enqueueLocal { channel.write([3]) }
    }
    loop.stop()
    loop.serve()
    #expect(worker.seen == [1, 2, 3])
    channel.close()
  }

  @Test func jobsThatMakeJobsDoNotStarveTheRest() throws {
    let loop = try EventLoop()
    var turns = 0
    func again() {
      turns += 1
      loop.enqueueLocal { again() }
    }
    again()
    let timer = Timer(loop: loop) { loop.stop() }
    timer.start(after: .milliseconds(5))
    loop.serve()
    #expect(turns > 100)
  }

  @Test func jobsThatNeverRanEndWithTheLoop() throws {
    weak var weakObject: Log?
    do {
      let loop = try EventLoop()
      let object = Log()
      weakObject = object
      loop.execute { object.add("never") }
    }
    #expect(weakObject == nil)
  }

  @Test func sparesBuffersWithinABound() throws {
    let loop = try EventLoop()
    #expect(loop.takeSpareBuffer().capacity == 0)
    var small: [UInt8] = []
    small.reserveCapacity(1000)
    loop.keepSpareBuffer(small)
    #expect(loop.takeSpareBuffer().capacity >= 1000)
    var large: [UInt8] = []
    large.reserveCapacity(1_000_000)
    loop.keepSpareBuffer(large)
    #expect(loop.takeSpareBuffer().capacity == 0, "large ones go back to the system")
  }

  @Test func whatIsLoopBoundChecksItsThread() async {
    await #expect(processExitsWith: .failure) {
      let group = try EventLoopGroup(threads: 1)
      group.loops[0].executeAndWait {}
      group.loops[0].preconditionCurrent()
    }
  }

  @Test func onlyItsThreadRunsALoop() async {
    await #expect(processExitsWith: .failure) {
      let loop = try EventLoop()
      let thread = try SystemThread(name: "stranger") { loop.run() }
      thread.join()
    }
  }

  @Test func aLoopCannotWaitForItself() async {
    await #expect(processExitsWith: .failure) {
      let loop = try EventLoop()
      loop.executeAndWait {}
    }
  }
}

/// Lines, in order. Sendable, because jobs are.
final class Log: Sendable {
  private let storage = Mutex<[String]>([])

  var lines: [String] { storage.withLock { $0 } }

  func add(_ line: String) {
    storage.withLock { $0.append(line) }
  }
}
