public import FoundationEssentials
public import TapelineTransport

/// The closures of a `ClosureEventMonitor`: each is called for the monitor's method that its comment names.
public struct EventClosures: Sendable {
  /// `sessionDidBecomeInvalid(withError:)`.
  public var sessionDidBecomeInvalidWithError: (@Sendable ((any Error)?) -> Void)?
  /// `task(_:didReceive:)`.
  public var dataTaskDidReceiveResponse: (@Sendable (SessionTask, HTTPURLResponse) -> Void)?
  /// `task(_:didReceive:)`.
  public var dataTaskDidReceiveData: (@Sendable (SessionTask, Data) -> Void)?
  /// `task(_:didSendBodyData:)`.
  public var taskDidSendBodyData: (@Sendable (SessionTask, Int) -> Void)?
  /// `task(_:willBeRedirectedTo:for:)`.
  public var taskWillPerformHTTPRedirection: (@Sendable (SessionTask, URLRequest, HTTPURLResponse) -> Void)?
  /// `task(_:didFinishCollecting:)`.
  public var taskDidFinishCollectingMetrics: (@Sendable (SessionTask, TaskMetrics) -> Void)?
  /// `task(_:didCompleteWithError:)`.
  public var taskDidComplete: (@Sendable (SessionTask, (any Error)?) -> Void)?
  /// `request(_:didCreateInitialURLRequest:)`.
  public var requestDidCreateInitialURLRequest: (@Sendable (Request, URLRequest) -> Void)?
  /// `request(_:didFailToCreateURLRequestWithError:)`.
  public var requestDidFailToCreateURLRequestWithError: (@Sendable (Request, TapelineError) -> Void)?
  /// `request(_:didAdaptInitialRequest:to:)`.
  public var requestDidAdaptInitialRequestToAdaptedRequest: (@Sendable (Request, URLRequest, URLRequest) -> Void)?
  /// `request(_:didFailToAdaptURLRequest:withError:)`.
  public var requestDidFailToAdaptURLRequestWithError: (@Sendable (Request, URLRequest, TapelineError) -> Void)?
  /// `request(_:didCreateURLRequest:)`.
  public var requestDidCreateURLRequest: (@Sendable (Request, URLRequest) -> Void)?
  /// `request(_:didCreateTask:)`.
  public var requestDidCreateTask: (@Sendable (Request, SessionTask) -> Void)?
  /// `request(_:didGatherMetrics:)`.
  public var requestDidGatherMetrics: (@Sendable (Request, TaskMetrics) -> Void)?
  /// `request(_:didFailTask:earlyWithError:)`.
  public var requestDidFailTaskEarlyWithError: (@Sendable (Request, SessionTask, TapelineError) -> Void)?
  /// `request(_:didCompleteTask:with:)`.
  public var requestDidCompleteTaskWithError: (@Sendable (Request, SessionTask, TapelineError?) -> Void)?
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
  public var requestDidValidateRequestResponseDataWithResult:
    (@Sendable (DataRequest, URLRequest?, HTTPURLResponse, Data?, ValidationResult) -> Void)?
  /// `request(_:didParseResponse:)`.
  public var requestDidParseResponse: (@Sendable (DataRequest, DataResponse<Data?>) -> Void)?
  /// `request(_:didValidateRequest:response:withResult:)`.
  public var requestDidValidateRequestResponseWithResult:
    (@Sendable (DataStreamRequest, URLRequest?, HTTPURLResponse, ValidationResult) -> Void)?
  /// `request(_:didCreateUploadable:)`.
  public var requestDidCreateUploadable: (@Sendable (UploadRequest, Uploadable) -> Void)?
  /// `request(_:didFailToCreateUploadableWithError:)`.
  public var requestDidFailToCreateUploadableWithError: (@Sendable (UploadRequest, TapelineError) -> Void)?
  /// `request(_:didFinishDownloadingUsing:with:)`.
  public var requestDidFinishDownloadingUsingTaskWithResult:
    (@Sendable (DownloadRequest, SessionTask, Result<URL, TapelineError>) -> Void)?
  /// `request(_:didCreateDestinationURL:)`.
  public var requestDidCreateDestinationURL: (@Sendable (DownloadRequest, URL) -> Void)?
  /// `request(_:didValidateRequest:response:fileURL:withResult:)`.
  public var requestDidValidateRequestResponseFileURLWithResult:
    (@Sendable (DownloadRequest, URLRequest?, HTTPURLResponse, URL?, ValidationResult) -> Void)?
  /// `request(_:didParseResponse:)`.
  public var requestDidParseDownloadResponse: (@Sendable (DownloadRequest, DownloadResponse<URL?>) -> Void)?

  /// Nothing is listened to.
  init() {}
}
