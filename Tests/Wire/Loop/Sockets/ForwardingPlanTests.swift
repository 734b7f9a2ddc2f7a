import Testing

@testable import TapelineLoop

/// What goes past the program, and what is read, without sockets.
@Suite struct ForwardingPlanTests {
  private let large = ForwardingPlan.least

  @Test("A large amount is moved, except its last bytes")
  func moving() {
    var plan = ForwardingPlan(left: nil)
    #expect(plan.step(waiting: large, isClear: true) == .move(large - ForwardingPlan.tail))
    #expect(plan.step(waiting: 10 * Conduit.capacity, isClear: true) == .move(Conduit.capacity))
    plan.didTake(Conduit.capacity)
    #expect(plan.left == nil)
  }

  @Test("Input is read while something waits in front of the destination")
  func waiting() {
    var plan = ForwardingPlan(left: nil)
    #expect(plan.step(waiting: large, isClear: false) == .read)
    #expect(plan.step(waiting: large, isClear: true) == .move(large - ForwardingPlan.tail))
  }

  @Test("No more is moved than there is of the message, and its rest is read")
  func limits() {
    var plan = ForwardingPlan(left: UInt64(2 * large))
    #expect(plan.step(waiting: 8 * large, isClear: true) == .move(2 * large))
    plan.didTake(large)
    #expect(plan.left == UInt64(large))
    #expect(plan.step(waiting: 8 * large, isClear: true) == .move(large))
    plan.didTake(1)
    #expect(plan.step(waiting: 8 * large, isClear: true) == .stop)
    var short = ForwardingPlan(left: 0)
    #expect(short.step(waiting: 8 * large, isClear: true) == .stop)
    short.didTake(1)
    #expect(short.left == 0, "the last bytes are read, beyond what may be moved")
  }

  @Test("After many small reads in a row the pipe goes back")
  func patience() {
    var plan = ForwardingPlan(left: nil)
    for _ in 1..<ForwardingPlan.patience { #expect(plan.step(waiting: large - 1, isClear: true) == .read) }
    #expect(plan.step(waiting: large, isClear: true) == .move(large - ForwardingPlan.tail))
    for _ in 1..<ForwardingPlan.patience { #expect(plan.step(waiting: 0, isClear: true) == .read) }
    #expect(plan.step(waiting: 1, isClear: true) == .stop)
  }
}
