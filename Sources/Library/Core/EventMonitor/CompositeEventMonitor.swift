internal import Dispatch
public import FoundationEssentials
public import TapelineTransport

/// Calls several monitors, each in the context that it wants.
///
/// Monitors on the loop are called inside the event. The others get the event through one serial queue and then on their own
/// queues, so that each monitor gets events in the order in which they happened.
public final class CompositeEventMonitor: EventMonitor {
  /// The monitors, in the order given.
  public let monitors: [any EventMonitor]
  private let onLoop: [any EventMonitor]
  private let onQueues: [any EventMonitor]
  private let ownQueue = DispatchQueue(label: "tapeline.compositeEventMonitor")
  /// A placeholder: the `queue` of a monitor without one, as each session has its own shared queue.
  static let sharedQueue = DispatchQueue(label: "tapeline.eventMonitor")

  /// Calls `monitors` in this order.
  public init(monitors: [any EventMonitor]) {
    self.monitors = monitors
    onLoop = monitors.filter { $0.context.isLoop }
    onQueues = monitors.filter { !$0.context.isLoop }
  }

  /// The loop: each event is handed on from there to the monitors' own contexts.
  public var context: EventMonitorContext { .loop }

  private func tell(_ event: @escaping @Sendable (any EventMonitor) -> Void) {
    for monitor in onLoop { event(monitor) }
    guard !onQueues.isEmpty else { return }
    ownQueue.async { [onQueues] in
      for monitor in onQueues {
        switch monitor.context {
        case .loop, .queue(nil): event(monitor)
        case .queue(let own?): own.async { event(monitor) }
        }
      }
    }
  }

  public func sessionDidBecomeInvalid(withError error: (any Error)?) {
    tell { $0.sessionDidBecomeInvalid(withError: error) }
  }

  // MARK: Tasks

  public func task(_ task: SessionTask, didReceive response: HTTPURLResponse) {
    tell { $0.task(task, didReceive: response) }
  }

  public func task(_ task: SessionTask, didReceive data: Data) {
    tell { $0.task(task, didReceive: data) }
  }

  public func task(_ task: SessionTask, didSendBodyData count: Int) {
    tell { $0.task(task, didSendBodyData: count) }
  }

  public func task(_ task: SessionTask, willBeRedirectedTo request: URLRequest, for response: HTTPURLResponse) {
    tell { $0.task(task, willBeRedirectedTo: request, for: response) }
  }

  public func task(_ task: SessionTask, didFinishCollecting metrics: TaskMetrics) {
    tell { $0.task(task, didFinishCollecting: metrics) }
  }

  public func task(_ task: SessionTask, didCompleteWithError error: (any Error)?) {
    tell { $0.task(task, didCompleteWithError: error) }
  }

  // MARK: Requests

  public func request(_ request: Request, didCreateInitialURLRequest urlRequest: URLRequest) {
    tell { $0.request(request, didCreateInitialURLRequest: urlRequest) }
  }

  public func request(_ request: Request, didFailToCreateURLRequestWithError error: TapelineError) {
    tell { $0.request(request, didFailToCreateURLRequestWithError: error) }
  }

  public func request(_ request: Request, didAdaptInitialRequest initialRequest: URLRequest, to adaptedRequest: URLRequest) {
    tell { $0.request(request, didAdaptInitialRequest: initialRequest, to: adaptedRequest) }
  }

  public func request(_ request: Request, didFailToAdaptURLRequest initialRequest: URLRequest, withError error: TapelineError) {
    tell { $0.request(request, didFailToAdaptURLRequest: initialRequest, withError: error) }
  }

  public func request(_ request: Request, didCreateURLRequest urlRequest: URLRequest) {
    tell { $0.request(request, didCreateURLRequest: urlRequest) }
  }

  public func request(_ request: Request, didCreateTask task: SessionTask) {
    tell { $0.request(request, didCreateTask: task) }
  }

  public func request(_ request: Request, didGatherMetrics metrics: TaskMetrics) {
    tell { $0.request(request, didGatherMetrics: metrics) }
  }

  public func request(_ request: Request, didFailTask task: SessionTask, earlyWithError error: TapelineError) {
    tell { $0.request(request, didFailTask: task, earlyWithError: error) }
  }

  public func request(_ request: Request, didCompleteTask task: SessionTask, with error: TapelineError?) {
    tell { $0.request(request, didCompleteTask: task, with: error) }
  }

  public func requestIsRetrying(_ request: Request) {
    tell { $0.requestIsRetrying(request) }
  }

  public func requestDidFinish(_ request: Request) {
    tell { $0.requestDidFinish(request) }
  }

  public func requestDidResume(_ request: Request) {
    tell { $0.requestDidResume(request) }
  }

  public func request(_ request: Request, didResumeTask task: SessionTask) {
    tell { $0.request(request, didResumeTask: task) }
  }

  public func requestDidSuspend(_ request: Request) {
    tell { $0.requestDidSuspend(request) }
  }

  public func request(_ request: Request, didSuspendTask task: SessionTask) {
    tell { $0.request(request, didSuspendTask: task) }
  }

  public func requestDidCancel(_ request: Request) {
    tell { $0.requestDidCancel(request) }
  }

  public func request(_ request: Request, didCancelTask task: SessionTask) {
    tell { $0.request(request, didCancelTask: task) }
  }

  // MARK: Data requests

  public func request(
    _ request: DataRequest, didValidateRequest urlRequest: URLRequest?, response: HTTPURLResponse, data: Data?,
    withResult result: ValidationResult
  ) {
    tell { $0.request(request, didValidateRequest: urlRequest, response: response, data: data, withResult: result) }
  }

  public func request(_ request: DataRequest, didParseResponse response: DefaultDataResponse) {
    tell { $0.request(request, didParseResponse: response) }
  }

  public func request(_ request: DataRequest, didParseResponse response: DataResponse<Data?>) {
    tell { $0.request(request, didParseResponse: response) }
  }

  public func request<Value: Sendable>(_ request: DataRequest, didParseResponse response: DataResponse<Value>) {
    tell { $0.request(request, didParseResponse: response) }
  }

  // MARK: Data streams

  public func request(
    _ request: DataStreamRequest, didValidateRequest urlRequest: URLRequest?, response: HTTPURLResponse,
    withResult result: ValidationResult
  ) {
    tell { $0.request(request, didValidateRequest: urlRequest, response: response, withResult: result) }
  }

  public func request<Value: Sendable>(_ request: DataStreamRequest, didParseStream result: Result<Value, TapelineError>) {
    tell { $0.request(request, didParseStream: result) }
  }

  // MARK: Uploads

  public func request(_ request: UploadRequest, didCreateUploadable uploadable: Uploadable) {
    tell { $0.request(request, didCreateUploadable: uploadable) }
  }

  public func request(_ request: UploadRequest, didFailToCreateUploadableWithError error: TapelineError) {
    tell { $0.request(request, didFailToCreateUploadableWithError: error) }
  }

  // MARK: Downloads

  public func request(
    _ request: DownloadRequest, didFinishDownloadingUsing task: SessionTask, with result: Result<URL, TapelineError>
  ) {
    tell { $0.request(request, didFinishDownloadingUsing: task, with: result) }
  }

  public func request(_ request: DownloadRequest, didCreateDestinationURL url: URL) {
    tell { $0.request(request, didCreateDestinationURL: url) }
  }

  public func request(
    _ request: DownloadRequest, didValidateRequest urlRequest: URLRequest?, response: HTTPURLResponse, fileURL: URL?,
    withResult result: ValidationResult
  ) {
    tell { $0.request(request, didValidateRequest: urlRequest, response: response, fileURL: fileURL, withResult: result) }
  }

  public func request(_ request: DownloadRequest, didParseResponse response: DefaultDownloadResponse) {
    tell { $0.request(request, didParseResponse: response) }
  }

  public func request(_ request: DownloadRequest, didParseResponse response: DownloadResponse<URL?>) {
    tell { $0.request(request, didParseResponse: response) }
  }

  public func request<Value: Sendable>(_ request: DownloadRequest, didParseResponse response: DownloadResponse<Value>) {
    tell { $0.request(request, didParseResponse: response) }
  }
}

extension EventMonitorContext {
  fileprivate var isLoop: Bool {
    switch self {
    case .loop: true
    case .queue: false
    }
  }
}
