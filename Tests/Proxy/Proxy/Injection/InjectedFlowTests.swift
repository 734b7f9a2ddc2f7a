import TapelineTime
import Testing

@testable import TapelineProxy

/// The content of a response that rules hold back, by a clock of the test's.
@Suite struct InjectedFlowTests {
  private let start = MonotonicInstant(nanoseconds: 1_000)

  private func flow(_ count: Int, _ configure: (inout InjectedFlow) -> Void) -> InjectedFlow {
    var flow = InjectedFlow()
    configure(&flow)
    flow.append([UInt8](repeating: 7, count: count).span)
    return flow
  }

  /// How many bytes go on so many nanoseconds after the start, and what comes then.
  private func passed(_ flow: inout InjectedFlow, at nanoseconds: Int64 = 0) -> String {
    var count = 0
    while true {
      switch flow.next(at: start.advanced(byNanoseconds: nanoseconds)) {
      case .pass(let bytes): count += bytes.count
      case .wait(let instant, _): return "\(count), wait until \(instant.nanoseconds(since: start))"
      case .cut: return "\(count), cut"
      case .empty: return "\(count), empty"
      }
    }
  }

  @Test("Without a rule, nothing is held")
  func open() {
    var flow = flow(100_000) { _ in }
    #expect(flow.isOpen && flow.isFull)
    let all = passed(&flow)
    #expect(all == "100000, empty" && flow.isEmpty)
  }

  @Test("A cut lets its bytes go on, and no other")
  func cut() {
    var flow = flow(30_000) { $0.cut(after: 20_000, by: 0) }
    let before = passed(&flow)
    #expect(before == "20000, cut")
    var whole = self.flow(20_000) { $0.cut(after: 20_000, by: 0) }
    let all = passed(&whole)
    #expect(all == "20000, empty", "a response of that length is not cut")
  }

  @Test("Whoever holds or cuts is named: the nearest cut, the slowest rate, the stall that is on")
  func names() {
    var flow = flow(30) {
      $0.cut(after: 20, by: 1)
      $0.cut(after: 10, by: 2)
      $0.cut(after: 25, by: 3)
      $0.stall(for: .nanoseconds(50), after: 5, by: 4)
      $0.limit(to: 1e9, by: 5)
      $0.limit(to: 1e12, by: 6)
    }
    var steps: [InjectedFlow.Step] = []
    for nanoseconds: Int64 in [0, 5, 55, 60] {
      for _ in 0..<2 { steps.append(flow.next(at: start.advanced(byNanoseconds: nanoseconds))) }
    }
    func wait(_ nanoseconds: Int64, _ rule: Int) -> InjectedFlow.Step {
      .wait(until: start.advanced(byNanoseconds: nanoseconds), by: rule)
    }
    let five = InjectedFlow.Step.pass([UInt8](repeating: 7, count: 5))
    #expect(steps == [wait(5, 5), wait(5, 5), five, wait(55, 4), wait(60, 5), wait(60, 5), five, .cut(by: 2)])
  }

  @Test("A stall lasts its time, once")
  func stall() {
    var flow = flow(100) { $0.stall(for: .nanoseconds(50), after: 40, by: 0) }
    let steps = [passed(&flow), passed(&flow, at: 49), passed(&flow, at: 50)]
    #expect(steps == ["40, wait until 50", "0, wait until 50", "60, empty"])
    flow.append([1, 2].span)
    let rest = passed(&flow, at: 50)
    #expect(rest == "2, empty")
  }

  @Test("At a rate, each byte takes its time, wherever the clock is looked at")
  func rate() {
    var flow = flow(10_000) { $0.limit(to: 100_000, by: 0) }
    var now = start
    var count = 0
    loop: while true {
      switch flow.next(at: now) {
      case .pass(let bytes): count += bytes.count
      case .wait(let instant, _): now = instant
      case .cut, .empty: break loop
      }
    }
    #expect(count == 10_000)
    #expect(now.nanoseconds(since: start) == 100_000_000)
  }

  @Test("Who looks late does not slow the rate down, and a line that had nothing to carry does not catch up")
  func lateness() {
    var flow = flow(10_000) { $0.limit(to: 100_000, by: 0) }
    // A piece each 20 ms; each look comes 3 ms late.
    for (look, count) in [(0, "0"), (23, "2000"), (43, "2000"), (63, "2000"), (83, "2000"), (103, "2000")] {
      let text = passed(&flow, at: Int64(look) * 1_000_000)
      #expect(text.hasPrefix("\(count), "), "\(look) ms: \(text)")
    }
    flow.append([UInt8](repeating: 1, count: 4_000).span)
    let steps = [503, 522, 523].map { passed(&flow, at: $0 * 1_000_000) }
    #expect(steps == ["0, wait until 523000000", "0, wait until 523000000", "2000, wait until 543000000"])
  }
}
