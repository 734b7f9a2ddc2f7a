import TapelineLoop
import Testing

@testable import TapelineCore
@testable import TapelineTransport

@Suite struct RequestTaskMapTests {
  /// A pair is dissolved by the second of its two events, whichever that is.
  @Test(arguments: [true, false])
  func bothEventsDissolveThePair(metricsFirst: Bool) throws {
    let harness = try CoreHarness()
    let session = harness.session
    let outgoing = try CoreHarness.get()
    let request = session.request(outgoing)
    try harness.onLoop { transport in
      let task = SessionTask(
        taskIdentifier: 7, work: .exchange(outgoing), loop: session.loop, transport: transport, events: session.delegate)
      var map = RequestTaskMap()
      map.associate(request, with: task)
      #expect(map[task] === request)
      if metricsFirst {
        map.didGatherMetrics(for: task)
        #expect(map[task] === request)
        let dissolved = map.didComplete(task)
        #expect(dissolved)
      } else {
        let dissolved = map.didComplete(task)
        #expect(!dissolved)
        #expect(map[task] === request)
        map.didGatherMetrics(for: task)
      }
      #expect(map[task] == nil)
      #expect(map.count == 0)
    }
  }

  @Test func eventsOfAnUnknownTaskAreTolerated() throws {
    let harness = try CoreHarness()
    let session = harness.session
    let outgoing = try CoreHarness.get()
    try harness.onLoop { transport in
      let task = SessionTask(
        taskIdentifier: 7, work: .exchange(outgoing), loop: session.loop, transport: transport, events: session.delegate)
      var map = RequestTaskMap()
      map.didGatherMetrics(for: task)
      let dissolved = map.didComplete(task)
      #expect(!dissolved)
      #expect(map.count == 0)
    }
  }
}
