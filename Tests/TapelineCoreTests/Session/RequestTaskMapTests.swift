import TapelineLoop
import Testing

@testable import TapelineCore
@testable import TapelineTransport

@Suite struct RequestTaskMapTests {
  @Test("The second of a pair's two events dissolves the pair, in either order", arguments: [true, false])
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
      let owner = map[task]
      #expect(owner === request)
      #expect(map.owners.count == 1 && map.owners.first === request)
      if metricsFirst {
        let dissolvedByMetrics = map.didGatherMetrics(for: task)
        #expect(!dissolvedByMetrics)
        let waiting = map[task]
        #expect(waiting === request)
        let dissolved = map.didComplete(task)
        #expect(dissolved)
      } else {
        let dissolved = map.didComplete(task)
        #expect(!dissolved)
        let waiting = map[task]
        #expect(waiting === request)
        let dissolvedByMetrics = map.didGatherMetrics(for: task)
        #expect(dissolvedByMetrics)
      }
      let gone = map[task]
      #expect(gone == nil)
      #expect(map.isEmpty)
    }
  }

  @Test("Events of two tasks in turn reach the owner of each, also when one has ended")
  func twoTasksInTurn() throws {
    let harness = try CoreHarness()
    let requests = [harness.session.request(CoreHarness.url), harness.session.request(CoreHarness.url)]
    let (loop, engine) = (harness.loop, harness.engine)
    let outgoing = try CoreHarness.get()
    try harness.onLoop { transport in
      let tasks = (7...8).map {
        SessionTask(taskIdentifier: $0, work: .exchange(outgoing), loop: loop, transport: transport, events: engine.delegate)
      }
      var map = RequestTaskMap()
      for (task, request) in zip(tasks, requests) { map.associate(request, with: task) }
      let inTurn = [map[tasks[0]], map[tasks[1]], map[tasks[0]]]
      #expect(inTurn[0] === requests[0] && inTurn[1] === requests[1] && inTurn[2] === requests[0])
      let pending = map.didGatherMetrics(for: tasks[0])
      let ended = map.didComplete(tasks[0])
      #expect(!pending && ended)
      let (gone, there) = (map[tasks[0]], map[tasks[1]])
      #expect(gone == nil && there === requests[1])
    }
  }

  @Test("Duplicate metrics and events of an unknown task are tolerated")
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
