import TapelineLoop
import Testing

@testable import TapelineCore
@testable import TapelineTransport

@Suite struct RequestTaskMapTests {
  @Test("A pair is dissolved by the second of its two events, whichever that is", arguments: [true, false])
  func bothEventsDissolveThePair(metricsFirst: Bool) throws {
    let harness = try CoreHarness()
    let request = harness.session.request(CoreHarness.url)
    let (loop, engine) = (harness.loop, harness.engine)
    let outgoing = try CoreHarness.get()
    try harness.onLoop { transport in
      let task = SessionTask(
        taskIdentifier: 7, work: .exchange(outgoing), loop: loop, transport: transport, events: engine.delegate)
      var map = RequestTaskMap()
      map.associate(request, with: task)
      #expect(map[task] === request)
      #expect(map.owners.count == 1 && map.owners.first === request)
      if metricsFirst {
        let dissolvedByMetrics = map.didGatherMetrics(for: task)
        #expect(!dissolvedByMetrics)
        #expect(map[task] === request)
        let dissolved = map.didComplete(task)
        #expect(dissolved)
      } else {
        let dissolved = map.didComplete(task)
        #expect(!dissolved)
        #expect(map[task] === request)
        let dissolvedByMetrics = map.didGatherMetrics(for: task)
        #expect(dissolvedByMetrics)
      }
      #expect(map[task] == nil)
      #expect(map.isEmpty)
    }
  }

  @Test("Metrics that come twice are tolerated, and so are events of a task that nobody knows")
  func duplicatesAndStrangersAreTolerated() throws {
    let harness = try CoreHarness()
    let request = harness.session.request(CoreHarness.url)
    let (loop, engine) = (harness.loop, harness.engine)
    let outgoing = try CoreHarness.get()
    try harness.onLoop { transport in
      let task = SessionTask(
        taskIdentifier: 7, work: .exchange(outgoing), loop: loop, transport: transport, events: engine.delegate)
      var map = RequestTaskMap()
      let unknownMetrics = map.didGatherMetrics(for: task)
      let unknown = map.didComplete(task)
      #expect(!unknownMetrics && !unknown)
      map.associate(request, with: task)
      let first = map.didGatherMetrics(for: task)
      let second = map.didGatherMetrics(for: task)
      #expect(!first && !second)
      let dissolved = map.didComplete(task)
      #expect(dissolved)
      #expect(map.count == 0)
    }
  }
}
