import Dispatch
import Testing

@testable import TapelineCore

@Suite struct DispatchContextTests {
  @Test("A concurrent queue is wrapped in a serial queue with its label, so work never overlaps")
  func serialisesAConcurrentQueue() {
    let concurrent = DispatchQueue(label: "mine", attributes: .concurrent)
    let context = DispatchContext(concurrent)
    #expect(context.queue.label == "mine")
    let running = Protected(0)
    let overlaps = Protected(0)
    let done = DispatchGroup()
    for _ in 0..<200 {
      done.enter()
      context.async {
        if running.write({
          $0 += 1; return $0
        }) > 1 {
          overlaps.write { $0 += 1 }
        }
        running.write { $0 -= 1 }
        done.leave()
      }
    }
    done.wait()
    #expect(overlaps.wrappedValue == 0)
  }

  @Test("A context knows whether the caller is there, and never runs work inside async")
  func asyncMeansLater() {
    let context = DispatchContext(label: "context")
    let log = EventLog()
    let done = DispatchSemaphore(value: 0)
    #expect(!context.isCurrent)
    context.async {
      #expect(context.isCurrent)
      context.async {
        log.add("inner")
        done.signal()
      }
      context.run { log.add("run") }
      log.add("outer")
    }
    done.wait()
    #expect(log.all == ["run", "outer", "inner"])
  }

  @Test("Delayed work runs, and not before its time")
  func delays() {
    let context = DispatchContext(label: "context")
    let done = DispatchSemaphore(value: 0)
    let began = DispatchTime.now()
    context.async(after: .milliseconds(20)) { done.signal() }
    done.wait()
    #expect(DispatchTime.now().uptimeNanoseconds - began.uptimeNanoseconds >= 20_000_000)
  }
}
