import FoundationEssentials

@testable import TapelineCore
@testable import TapelineTransport

/// A monitor that writes down every event it hears of, in short.
struct EventRecorder: EventMonitor {
  let log: EventLog
  let context: EventMonitorContext

  init(_ log: EventLog, context: EventMonitorContext = .loop) {
    self.log = log
    self.context = context
  }

  func task(_ task: SessionTask, didReceive response: HTTPURLResponse) { log.add("head \(response.statusCode)") }
  func task(_ task: SessionTask, didReceive data: Data) { log.add("data \(data.count)") }
  func task(_ task: SessionTask, didSendBodyData count: Int) { log.add("sent \(count)") }
  func task(_ task: SessionTask, didFinishCollecting metrics: TaskMetrics) { log.add("metrics collected") }
  func task(_ task: SessionTask, didCompleteWithError error: (any Error)?) { log.add("task completed") }
  func request(_ request: Request, didCreateInitialURLRequest urlRequest: URLRequest) { log.add("initial") }
  func request(_ request: Request, didFailToCreateURLRequestWithError error: TapelineError) { log.add("no request") }
  func request(_ request: Request, didAdaptInitialRequest initialRequest: URLRequest, to adaptedRequest: URLRequest) {
    log.add("adapt")
  }
  func request(_ request: Request, didFailToAdaptURLRequest initialRequest: URLRequest, withError error: TapelineError) {
    log.add("no adaptation")
  }
  func request(_ request: Request, didCreateURLRequest urlRequest: URLRequest) { log.add("create") }
  func request(_ request: Request, didCreateTask task: SessionTask) { log.add("task") }
  func request(_ request: Request, didGatherMetrics metrics: TaskMetrics) { log.add("metrics") }
  func request(_ request: Request, didFailTask task: SessionTask, earlyWithError error: TapelineError) { log.add("fail") }
  func request(_ request: Request, didCompleteTask task: SessionTask, with error: TapelineError?) {
    log.add("completeTask \(error == nil ? "nil" : "error")")
  }
  func requestIsRetrying(_ request: Request) { log.add("retry") }
  func requestDidFinish(_ request: Request) { log.add("finish") }
  func requestDidResume(_ request: Request) { log.add("resume") }
  func request(_ request: Request, didResumeTask task: SessionTask) { log.add("resumeTask") }
  func requestDidSuspend(_ request: Request) { log.add("suspend") }
  func request(_ request: Request, didSuspendTask task: SessionTask) { log.add("suspendTask") }
  func requestDidCancel(_ request: Request) { log.add("cancel") }
  func request(_ request: Request, didCancelTask task: SessionTask) { log.add("cancelTask") }
  func request<Value: Sendable>(_ request: DataRequest, didParseResponse response: DataResponse<Value>) { log.add("parse") }
}
