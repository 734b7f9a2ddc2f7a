import FoundationEssentials
import Testing

@testable import TapelineCore
@testable import TapelineTransport

@Suite struct NotificationMonitorTests {
  @Test("One monitor posts both families, with the request, the task and at the end the body")
  func bothFamilies() throws {
    let posted = Protected<[RequestNotification]>([])
    let harness = try CoreHarness(eventMonitors: [
      NotificationMonitor(context: .loop) { notification in posted.write { $0.append(notification) } }
    ])
    let request = harness.session.request(CoreHarness.url)
    let awaited = request.awaitedOutcome()
    try harness.answer(body: "x")
    _ = try awaited.wait()
    harness.settle()
    let names: [RequestNotification.Name] = [
      .requestDidResume, .requestDidResumeTask, .taskDidResume, .requestDidCompleteTask, .taskDidComplete, .requestDidFinish,
    ]
    #expect(posted.wrappedValue.map(\.name) == names)
    for notification in posted.wrappedValue { #expect(notification.request === request) }
    #expect(posted.wrappedValue[2].task === request.task)
    #expect(posted.wrappedValue[4].responseData == Data("x".utf8))
  }

  @Test("Suspending and cancelling are posted too; names and keys are the well-known ones")
  func namesAndKeys() throws {
    let log = EventLog()
    let harness = try CoreHarness(eventMonitors: [NotificationMonitor(context: .loop) { log.add($0.name.rawValue) }])
    let request = harness.session.request(CoreHarness.url).resume()
    _ = try harness.task()
    request.suspend()
    harness.settle()
    request.cancel()
    harness.settle()
    let prefix = "org.alamofire.notification.name."
    for name in [
      "request.didSuspend", "request.didSuspendTask", "task.didSuspend", "request.didCancel", "request.didCancelTask",
      "task.didCancel",
    ] { #expect(log.all.contains(prefix + name), "\(name)") }
    #expect(RequestNotification.Key.task == "org.alamofire.notification.key.task")
    #expect(RequestNotification.Key.request == "org.alamofire.notification.key.request")
    #expect(RequestNotification.Key.responseData == "org.alamofire.notification.key.responseData")
  }
}
