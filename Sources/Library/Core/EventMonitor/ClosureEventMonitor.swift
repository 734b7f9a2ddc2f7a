public import Dispatch
public import FoundationEssentials
public import TapelineTransport

/// A monitor made of closures, which may be set and changed at any time, also while a session has the monitor.
///
/// Each closure of `EventClosures` is a member: `monitor.requestDidFinish = { request in … }`.
@dynamicMemberLookup
public final class ClosureEventMonitor: EventMonitor {
  /// Where the closures are called.
  public let context: EventMonitorContext
  private let closures = Protected(EventClosures())

  /// Calls its closures on `queue`, or on the queue that the session's monitors share.
  public init(queue: DispatchQueue? = nil) {
    context = .queue(queue)
  }

  /// Calls its closures in `context`.
  public init(context: EventMonitorContext) {
    self.context = context
  }

  // A method of the same name hides these from the subscript below.

  /// `EventClosures.requestIsRetrying`.
  public var requestIsRetrying: (@Sendable (Request) -> Void)? {
    get { closures.requestIsRetrying }
    set { closures.requestIsRetrying = newValue }
  }

  /// `EventClosures.requestDidFinish`.
  public var requestDidFinish: (@Sendable (Request) -> Void)? {
    get { closures.requestDidFinish }
    set { closures.requestDidFinish = newValue }
  }

  /// `EventClosures.requestDidResume`.
  public var requestDidResume: (@Sendable (Request) -> Void)? {
    get { closures.requestDidResume }
    set { closures.requestDidResume = newValue }
  }

  /// `EventClosures.requestDidSuspend`.
  public var requestDidSuspend: (@Sendable (Request) -> Void)? {
    get { closures.requestDidSuspend }
    set { closures.requestDidSuspend = newValue }
  }

  /// `EventClosures.requestDidCancel`.
  public var requestDidCancel: (@Sendable (Request) -> Void)? {
    get { closures.requestDidCancel }
    set { closures.requestDidCancel = newValue }
  }

  /// One of the other closures.
  public subscript<Closure: Sendable>(
    dynamicMember path: any WritableKeyPath<EventClosures, Closure?> & Sendable
  ) -> Closure? {
    get { closures[dynamicMember: path] }
    set { closures[dynamicMember: path] = newValue }
  }

  public func sessionDidBecomeInvalid(withError error: (any Error)?) {
    closures.sessionDidBecomeInvalidWithError?(error)
  }

  public func task(_ task: SessionTask, didReceive response: HTTPURLResponse) {
    closures.dataTaskDidReceiveResponse?(task, response)
  }

  public func task(_ task: SessionTask, didReceive data: Data) {
    closures.dataTaskDidReceiveData?(task, data)
  }

  public func task(_ task: SessionTask, didSendBodyData count: Int) {
    closures.taskDidSendBodyData?(task, count)
  }

  public func task(_ task: SessionTask, willBeRedirectedTo request: URLRequest, for response: HTTPURLResponse) {
    closures.taskWillPerformHTTPRedirection?(task, request, response)
  }

  public func task(_ task: SessionTask, didFinishCollecting metrics: TaskMetrics) {
    closures.taskDidFinishCollectingMetrics?(task, metrics)
  }

  public func task(_ task: SessionTask, didCompleteWithError error: (any Error)?) {
    closures.taskDidComplete?(task, error)
  }

  public func request(_ request: Request, didCreateInitialURLRequest urlRequest: URLRequest) {
    closures.requestDidCreateInitialURLRequest?(request, urlRequest)
  }

  public func request(_ request: Request, didFailToCreateURLRequestWithError error: TapelineError) {
    closures.requestDidFailToCreateURLRequestWithError?(request, error)
  }

  public func request(_ request: Request, didAdaptInitialRequest initialRequest: URLRequest, to adaptedRequest: URLRequest) {
    closures.requestDidAdaptInitialRequestToAdaptedRequest?(request, initialRequest, adaptedRequest)
  }

  public func request(_ request: Request, didFailToAdaptURLRequest initialRequest: URLRequest, withError error: TapelineError) {
    closures.requestDidFailToAdaptURLRequestWithError?(request, initialRequest, error)
  }

  public func request(_ request: Request, didCreateURLRequest urlRequest: URLRequest) {
    closures.requestDidCreateURLRequest?(request, urlRequest)
  }

  public func request(_ request: Request, didCreateTask task: SessionTask) {
    closures.requestDidCreateTask?(request, task)
  }

  public func request(_ request: Request, didGatherMetrics metrics: TaskMetrics) {
    closures.requestDidGatherMetrics?(request, metrics)
  }

  public func request(_ request: Request, didFailTask task: SessionTask, earlyWithError error: TapelineError) {
    closures.requestDidFailTaskEarlyWithError?(request, task, error)
  }

  public func request(_ request: Request, didCompleteTask task: SessionTask, with error: TapelineError?) {
    closures.requestDidCompleteTaskWithError?(request, task, error)
  }

  public func requestIsRetrying(_ request: Request) {
    closures.requestIsRetrying?(request)
  }

  public func requestDidFinish(_ request: Request) {
    closures.requestDidFinish?(request)
  }

  public func requestDidResume(_ request: Request) {
    closures.requestDidResume?(request)
  }

  public func request(_ request: Request, didResumeTask task: SessionTask) {
    closures.requestDidResumeTask?(request, task)
  }

  public func requestDidSuspend(_ request: Request) {
    closures.requestDidSuspend?(request)
  }

  public func request(_ request: Request, didSuspendTask task: SessionTask) {
    closures.requestDidSuspendTask?(request, task)
  }

  public func requestDidCancel(_ request: Request) {
    closures.requestDidCancel?(request)
  }

  public func request(_ request: Request, didCancelTask task: SessionTask) {
    closures.requestDidCancelTask?(request, task)
  }

  public func request(
    _ request: DataRequest, didValidateRequest urlRequest: URLRequest?, response: HTTPURLResponse, data: Data?,
    withResult result: ValidationResult
  ) {
    closures.requestDidValidateRequestResponseDataWithResult?(request, urlRequest, response, data, result)
  }

  public func request(_ request: DataRequest, didParseResponse response: DataResponse<Data?>) {
    closures.requestDidParseResponse?(request, response)
  }

  public func request(
    _ request: DataStreamRequest, didValidateRequest urlRequest: URLRequest?, response: HTTPURLResponse,
    withResult result: ValidationResult
  ) {
    closures.requestDidValidateRequestResponseWithResult?(request, urlRequest, response, result)
  }

  public func request(_ request: UploadRequest, didCreateUploadable uploadable: Uploadable) {
    closures.requestDidCreateUploadable?(request, uploadable)
  }

  public func request(_ request: UploadRequest, didFailToCreateUploadableWithError error: TapelineError) {
    closures.requestDidFailToCreateUploadableWithError?(request, error)
  }

  public func request(
    _ request: DownloadRequest, didFinishDownloadingUsing task: SessionTask, with result: Result<URL, TapelineError>
  ) {
    closures.requestDidFinishDownloadingUsingTaskWithResult?(request, task, result)
  }

  public func request(_ request: DownloadRequest, didCreateDestinationURL url: URL) {
    closures.requestDidCreateDestinationURL?(request, url)
  }

  public func request(
    _ request: DownloadRequest, didValidateRequest urlRequest: URLRequest?, response: HTTPURLResponse, fileURL: URL?,
    withResult result: ValidationResult
  ) {
    closures.requestDidValidateRequestResponseFileURLWithResult?(request, urlRequest, response, fileURL, result)
  }

  public func request(_ request: DownloadRequest, didParseResponse response: DownloadResponse<URL?>) {
    closures.requestDidParseDownloadResponse?(request, response)
  }
}
