import Testing

@testable import TapelineLoop

/// The channel's manners, as conversations.
struct ChannelStateMachineTests {
  @Test func bothDirectionsEndOnTheirOwn() {
    var machine = Channel.StateMachine()
    #expect(machine.acceptsOutput && machine.deliversInput && machine.wantsInput && machine.mayWrite)
    #expect(machine.inputDidEnd() == .deliver)
    #expect(!machine.wantsInput && machine.acceptsOutput)
    #expect(machine.outputDidDrain() == .nothing)
    let isNews = machine.endOutput()
    #expect(isNews)
    #expect(!machine.acceptsOutput && machine.mayWrite, "what waits is still written")
    let isNewsAgain = machine.endOutput()
    #expect(!isNewsAgain)
    #expect(machine.outputDidDrain() == .sendEnd)
    #expect(machine.outputDidDrain() == .nothing, "one FIN")
    #expect(machine.isOpen == true)
    let wasOpen = machine.close()
    #expect(wasOpen && !machine.isOpen)
    let wasStillOpen = machine.close()
    #expect(!wasStillOpen)
  }

  @Test func leavingBeforeThePeersEndLingers() {
    var machine = Channel.StateMachine()
    let isNews = machine.leave(peerMaySend: true)
    #expect(isNews)
    #expect(!machine.acceptsOutput && !machine.deliversInput && machine.wantsInput && machine.mayWrite)
    #expect(machine.outputDidDrain() == .sendEndAndLinger)
    #expect(machine.wantsInput && !machine.mayWrite)
    #expect(machine.inputDidEnd() == .close)
  }

  @Test func leavingAfterThePeersEndCloses() {
    var machine = Channel.StateMachine()
    #expect(machine.inputDidEnd() == .deliver)
    let isNews = machine.leave(peerMaySend: true)
    #expect(isNews)
    #expect(machine.outputDidDrain() == .close)
  }

  @Test func leavingAPeerThatSendsNothingMoreCloses() {
    var machine = Channel.StateMachine()
    let isNews = machine.leave(peerMaySend: false)
    #expect(isNews)
    #expect(machine.isDraining && machine.mayWrite && !machine.wantsInput)
    #expect(machine.outputDidDrain() == .close)
  }

  @Test func thePeerMayEndWhileTheQueueDrains() {
    var machine = Channel.StateMachine()
    _ = machine.leave(peerMaySend: true)
    #expect(machine.inputDidEnd() == .stopReading)
    #expect(machine.wantsInput == false)
    #expect(machine.outputDidDrain() == .close)
  }

  @Test func aFailureIsReportedOnceAndOnlyToAnOwner() {
    var machine = Channel.StateMachine()
    #expect(machine.fail() == .report)
    #expect(machine.fail() == .nothing)
    #expect(machine.isOpen && !machine.acceptsOutput && !machine.wantsInput && !machine.mayWrite)
    let isNews = machine.endOutput()
    let leaves = machine.leave(peerMaySend: true)
    #expect(!isNews && !leaves)
    _ = machine.close()
    #expect(machine.fail() == .nothing)

    var lingering = Channel.StateMachine()
    _ = lingering.leave(peerMaySend: true)
    _ = lingering.outputDidDrain()
    #expect(lingering.fail() == .close)
  }
}
