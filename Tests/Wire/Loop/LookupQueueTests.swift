import TapelineSystem
import Testing

@testable import TapelineLoop

struct LookupQueueTests {
  private func lookup(_ host: String, on loop: EventLoop) -> Lookup {
    Lookup(host: host, port: 80, completion: LoopBound({ _ in }, on: loop))
  }

  @Test func isFirstComeFirstServedWithinItsBound() throws {
    let loop = try EventLoop()
    let queue = LookupQueue(limit: 2)
    #expect(queue.add(lookup("a", on: loop)))
    #expect(queue.add(lookup("b", on: loop)))
    #expect(!queue.add(lookup("c", on: loop)))
    #expect(queue.next()?.host == "a")
    #expect(queue.add(lookup("d", on: loop)))
    #expect(queue.next()?.host == "b")
    #expect(queue.next()?.host == "d")
  }

  @Test func closingLetsEveryThreadGo() throws {
    let loop = try EventLoop()
    let queue = LookupQueue(limit: 10)
    let threads = try (0..<3).map { index in
      try SystemThread(name: "waiter-\(index)") {
        while queue.next() != nil {}
      }
    }
    queue.close()
    for thread in threads { thread.join() }
    #expect(!queue.add(lookup("late", on: loop)))
    #expect(queue.next() == nil)
  }
}
