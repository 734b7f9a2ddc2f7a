import TapelineCore
import TapelineHTTP
import TapelineLoop
import TapelineTime
import Testing

@testable import TapelineProxy

/// When a loop has its recorder hand on what has ended.
struct ShardRecordingTests {
  /// Hands on when it is told.
  private final class HeldRecorder: LoopRecorder {
    private(set) var waiting: [UInt64] = []
    private(set) var handedOn: [UInt64] = []

    func record(_ draft: RecordDraft) { waiting.append(draft.record.id) }

    func handOn() {
      handedOn += waiting
      waiting = []
    }
  }

  private let recorder = HeldRecorder()
  private let scripted: ScriptedShard

  init() throws {
    scripted = try ScriptedShard(recorder: recorder)
  }

  private func record(_ id: UInt64) {
    let client = ExchangeRecord.Peer(connectionID: 1, address: "127.0.0.1", port: 1, isReused: false)
    scripted.shard.record(
      RecordDraft(id: id, client: client, door: .proxy, request: nil, bodyLimit: 0, marks: TimelineMarks()))
  }

  /// One turn.
  private func turn() {
    scripted.shard.loop.stop()
    scripted.shard.loop.run()
  }

  @Test func exchangesAreHandedOnAtTheEndOfTheTurn() {
    record(1)
    record(2)
    #expect(recorder.handedOn.isEmpty)
    turn()
    #expect(recorder.handedOn == [1, 2])
    record(3)
    turn()
    #expect(recorder.handedOn == [1, 2, 3])
  }

  @Test func anExchangeIsEitherInFlightOrHandedOn() {
    record(1)
    #expect(scripted.shard.exchangesInFlight().isEmpty)
    #expect(recorder.handedOn == [1])
  }

  @Test func theEndOfTheLoopLeavesNoneBehind() {
    record(1)
    scripted.shard.shutdown(gracePeriod: .zero) {}
    #expect(recorder.handedOn == [1])
  }
}
