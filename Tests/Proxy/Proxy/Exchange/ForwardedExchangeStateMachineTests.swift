import TapelineTime
import Testing

@testable import TapelineProxy

/// How far a forwarded exchange has come, without a task or sockets.
@Suite("The states of a forwarded exchange")
struct ForwardedExchangeStateMachineTests {
  private typealias Machine = ForwardedExchange.StateMachine<String>
  private static let instant = MonotonicInstant(nanoseconds: 7)

  @Test("A task completes, the client gets everything, and the exchange is recorded once")
  func course() {
    var machine = Machine()
    #expect(machine.task == nil)
    machine.start("task")
    #expect(machine.task == "task" && !machine.isDelivering)
    let early = machine.finish()
    #expect(early == nil)
    let completion = machine.taskDidComplete(at: Self.instant)
    #expect(completion == .asItIs && machine.isDelivering && machine.task == nil && !machine.isRecorded)
    let none = machine.cancel()
    #expect(none == nil)
    let first = machine.finish()
    let second = machine.finish()
    #expect(first == Self.instant && second == nil && machine.isRecorded && !machine.isDelivering)
  }

  @Test("A task is cancelled once, and its completion is no failure")
  func cancelling() {
    var machine = Machine()
    machine.start("task")
    let first = machine.cancel()
    let second = machine.cancel()
    #expect(first == "task" && second == nil && machine.task == "task")
    let completion = machine.taskDidComplete(at: Self.instant)
    #expect(completion == .cancelled && machine.isDelivering)
  }

  @Test("A task that could not be made has failed; there is nothing to cancel")
  func unstarted() {
    var machine = Machine()
    let none = machine.cancel()
    #expect(none == nil)
    let completion = machine.taskDidComplete(at: Self.instant)
    #expect(completion == .asItIs && machine.isDelivering)
  }
}
