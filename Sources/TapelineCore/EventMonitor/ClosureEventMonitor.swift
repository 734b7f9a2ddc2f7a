public import Dispatch
public import FoundationEssentials
public import TapelineTransport

/// A monitor made of closures. Set the closures that you want before you give it to a session.
public struct ClosureEventMonitor: EventMonitor {
  /// Where the closures are called.
  public let context: EventMonitorContext

  /// Calls its closures on `queue`, or on the queue that the session's monitors share.
  public init(queue: DispatchQueue? = nil) {
    context = .queue(queue)
  }

  /// Calls its closures in `context`.
  public init(context: EventMonitorContext) {
    self.context = context
  }

  /// `sessionDidBecomeInvalid(withError:)`.
  public var sessionDidBecomeInvalidWithError: (@Sendable ((any Error)?) -> Void)?
  /// `task(_:didReceive:)`.
  public var taskDidReceiveResponse: (@Sendable (SessionTask, HTTPURLResponse) -> Void)?
  /// `task(_:didReceive:)`.
  public var taskDidReceiveData: (@Sendable (SessionTask, Data) -> Void)?
  /// `task(_:didSendBodyData:)`.
  public var taskDidSendBodyData: (@Sendable (SessionTask, Int) -> Void)?
  /// `task(_:willBeRedirectedTo:for:)`.
  public var taskWillBeRedirectedTo: (@Sendable (SessionTask, URLRequest, HTTPURLResponse) -> Void)?
  /// `task(_:didFinishCollecting:)`.
  public var taskDidFinishCollecting: (@Sendable (SessionTask, TaskMetrics) -> Void)?
  /// `task(_:didCompleteWithError:)`.
  public var taskDidCompleteWithError: (@Sendable (SessionTask, (any Error)?) -> Void)?
  /// `request(_:didCreateInitialURLRequest:)`.
  public var requestDidCreateInitialURLRequest: (@Sendable (Request, URLRequest) -> Void)?
  /// `request(_:didFailToCreateURLRequestWithError:)`.
  public var requestDidFailToCreateURLRequestWithError: (@Sendable (Request, TapelineError) -> Void)?
  /// `request(_:didAdaptInitialRequest:to:)`.
  public var requestDidAdaptInitialRequest: (@Sendable (Request, URLRequest, URLRequest) -> Void)?
  /// `request(_:didFailToAdaptURLRequest:withError:)`.
  public var requestDidFailToAdaptURLRequest: (@Sendable (Request, URLRequest, TapelineError) -> Void)?
  /// `request(_:didCreateURLRequest:)`.
  public var requestDidCreateURLRequest: (@Sendable (Request, URLRequest) -> Void)?
  /// `request(_:didCreateTask:)`.
  public var requestDidCreateTask: (@Sendable (Request, SessionTask) -> Void)?
  /// `request(_:didGatherMetrics:)`.
  public var requestDidGatherMetrics: (@Sendable (Request, TaskMetrics) -> Void)?
  /// `request(_:didFailTask:earlyWithError:)`.
  public var requestDidFailTask: (@Sendable (Request, SessionTask, TapelineError) -> Void)?
  /// `request(_:didCompleteTask:with:)`.
  public var requestDidCompleteTask: (@Sendable (Request, SessionTask, TapelineError?) -> Void)?
  /// `requestIsRetrying(_:)`.
  public var requestIsRetrying: (@Sendable (Request) -> Void)?
  /// `requestDidFinish(_:)`.
  public var requestDidFinish: (@Sendable (Request) -> Void)?
  /// `requestDidResume(_:)`.
  public var requestDidResume: (@Sendable (Request) -> Void)?
  /// `request(_:didResumeTask:)`.
  public var requestDidResumeTask: (@Sendable (Request, SessionTask) -> Void)?
  /// `requestDidSuspend(_:)`.
  public var requestDidSuspend: (@Sendable (Request) -> Void)?
  /// `request(_:didSuspendTask:)`.
  public var requestDidSuspendTask: (@Sendable (Request, SessionTask) -> Void)?
  /// `requestDidCancel(_:)`.
  public var requestDidCancel: (@Sendable (Request) -> Void)?
  /// `request(_:didCancelTask:)`.
  public var requestDidCancelTask: (@Sendable (Request, SessionTask) -> Void)?
  /// `request(_:didValidateRequest:response:data:withResult:)`.
  public var dataRequestDidValidateRequest:
    (@Sendable (DataRequest, URLRequest?, HTTPURLResponse, Data?, ValidationResult) -> Void)?
  /// `request(_:didParseResponse:)`.
  public var dataRequestDidParseResponse: (@Sendable (DataRequest, DefaultDataResponse) -> Void)?
  /// `request(_:didValidateRequest:response:withResult:)`.
  public var dataStreamRequestDidValidateRequest:
    (@Sendable (DataStreamRequest, URLRequest?, HTTPURLResponse, ValidationResult) -> Void)?
  /// `request(_:didCreateUploadable:)`.
  public var uploadRequestDidCreateUploadable: (@Sendable (UploadRequest, Uploadable) -> Void)?
  /// `request(_:didFailToCreateUploadableWithError:)`.
  public var uploadRequestDidFailToCreateUploadableWithError: (@Sendable (UploadRequest, TapelineError) -> Void)?
  /// `request(_:didFinishDownloadingUsing:with:)`.
  public var downloadRequestDidFinishDownloadingUsing:
    (@Sendable (DownloadRequest, SessionTask, Result<URL, TapelineError>) -> Void)?
  /// `request(_:didCreateDestinationURL:)`.
  public var downloadRequestDidCreateDestinationURL: (@Sendable (DownloadRequest, URL) -> Void)?
  /// `request(_:didValidateRequest:response:fileURL:withResult:)`.
  public var downloadRequestDidValidateRequest:
    (@Sendable (DownloadRequest, URLRequest?, HTTPURLResponse, URL?, ValidationResult) -> Void)?
  /// `request(_:didParseResponse:)`.
  public var downloadRequestDidParseResponse: (@Sendable (DownloadRequest, DefaultDownloadResponse) -> Void)?
}

extension ClosureEventMonitor {
  public func sessionDidBecomeInvalid(withError error: (any Error)?) {
    sessionDidBecomeInvalidWithError?(error)
  }

  public func task(_ task: SessionTask, didReceive response: HTTPURLResponse) {
    taskDidReceiveResponse?(task, response)
  }

  public func task(_ task: SessionTask, didReceive data: Data) {
    taskDidReceiveData?(task, data)
  }

  public func task(_ task: SessionTask, didSendBodyData count: Int) {
    taskDidSendBodyData?(task, count)
  }

  public func task(_ task: SessionTask, willBeRedirectedTo request: URLRequest, for response: HTTPURLResponse) {
    taskWillBeRedirectedTo?(task, request, response)
  }

  public func task(_ task: SessionTask, didFinishCollecting metrics: TaskMetrics) {
    taskDidFinishCollecting?(task, metrics)
  }

  public func task(_ task: SessionTask, didCompleteWithError error: (any Error)?) {
    taskDidCompleteWithError?(task, error)
  }

  public func request(_ request: Request, didCreateInitialURLRequest urlRequest: URLRequest) {
    requestDidCreateInitialURLRequest?(request, urlRequest)
  }

  public func request(_ request: Request, didFailToCreateURLRequestWithError error: TapelineError) {
    requestDidFailToCreateURLRequestWithError?(request, error)
  }

  public func request(_ request: Request, didAdaptInitialRequest initialRequest: URLRequest, to adaptedRequest: URLRequest) {
    requestDidAdaptInitialRequest?(request, initialRequest, adaptedRequest)
  }

  public func request(_ request: Request, didFailToAdaptURLRequest initialRequest: URLRequest, withError error: TapelineError) {
    requestDidFailToAdaptURLRequest?(request, initialRequest, error)
  }

  public func request(_ request: Request, didCreateURLRequest urlRequest: URLRequest) {
    requestDidCreateURLRequest?(request, urlRequest)
  }

  public func request(_ request: Request, didCreateTask task: SessionTask) {
    requestDidCreateTask?(request, task)
  }

  public func request(_ request: Request, didGatherMetrics metrics: TaskMetrics) {
    requestDidGatherMetrics?(request, metrics)
  }

  public func request(_ request: Request, didFailTask task: SessionTask, earlyWithError error: TapelineError) {
    requestDidFailTask?(request, task, error)
  }

  public func request(_ request: Request, didCompleteTask task: SessionTask, with error: TapelineError?) {
    requestDidCompleteTask?(request, task, error)
  }

  public func requestIsRetrying(_ request: Request) {
    requestIsRetrying?(request)
  }

  public func requestDidFinish(_ request: Request) {
    requestDidFinish?(request)
  }

  public func requestDidResume(_ request: Request) {
    requestDidResume?(request)
  }

  public func request(_ request: Request, didResumeTask task: SessionTask) {
    requestDidResumeTask?(request, task)
  }

  public func requestDidSuspend(_ request: Request) {
    requestDidSuspend?(request)
  }

  public func request(_ request: Request, didSuspendTask task: SessionTask) {
    requestDidSuspendTask?(request, task)
  }

  public func requestDidCancel(_ request: Request) {
    requestDidCancel?(request)
  }

  public func request(_ request: Request, didCancelTask task: SessionTask) {
    requestDidCancelTask?(request, task)
  }

  public func request(
    _ request: DataRequest, didValidateRequest urlRequest: URLRequest?, response: HTTPURLResponse, data: Data?,
    withResult result: ValidationResult
  ) {
    dataRequestDidValidateRequest?(request, urlRequest, response, data, result)
  }

  public func request(_ request: DataRequest, didParseResponse response: DefaultDataResponse) {
    dataRequestDidParseResponse?(request, response)
  }

  public func request(
    _ request: DataStreamRequest, didValidateRequest urlRequest: URLRequest?, response: HTTPURLResponse,
    withResult result: ValidationResult
  ) {
    dataStreamRequestDidValidateRequest?(request, urlRequest, response, result)
  }

  public func request(_ request: UploadRequest, didCreateUploadable uploadable: Uploadable) {
    uploadRequestDidCreateUploadable?(request, uploadable)
  }

  public func request(_ request: UploadRequest, didFailToCreateUploadableWithError error: TapelineError) {
    uploadRequestDidFailToCreateUploadableWithError?(request, error)
  }

  public func request(
    _ request: DownloadRequest, didFinishDownloadingUsing task: SessionTask, with result: Result<URL, TapelineError>
  ) {
    downloadRequestDidFinishDownloadingUsing?(request, task, result)
  }

  public func request(_ request: DownloadRequest, didCreateDestinationURL url: URL) {
    downloadRequestDidCreateDestinationURL?(request, url)
  }

  public func request(
    _ request: DownloadRequest, didValidateRequest urlRequest: URLRequest?, response: HTTPURLResponse, fileURL: URL?,
    withResult result: ValidationResult
  ) {
    downloadRequestDidValidateRequest?(request, urlRequest, response, fileURL, result)
  }

  public func request(_ request: DownloadRequest, didParseResponse response: DefaultDownloadResponse) {
    downloadRequestDidParseResponse?(request, response)
  }
}
