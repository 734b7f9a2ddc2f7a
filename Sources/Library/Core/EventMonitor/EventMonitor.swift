public import Dispatch
public import FoundationEssentials
public import TapelineTransport

/// Observes everything that happens in a session. It changes nothing: that is what interceptors and the delegate's overrides
/// are for.
///
/// Every method has an empty default. A session without monitors pays nothing for them.
public protocol EventMonitor: Sendable {
  /// Where the monitor is called; by default on its `queue`.
  var context: EventMonitorContext { get }

  /// The queue on which the monitor is called, unless its `context` says otherwise; by default one that the session's monitors
  /// share.
  var queue: DispatchQueue { get }

  // MARK: The session

  /// The session is gone, and its requests have been told. An error says why the session could not even begin.
  func sessionDidBecomeInvalid(withError error: (any Error)?)

  // MARK: Tasks

  /// The head of a response came. With redirections that are followed, this is called for each response.
  func task(_ task: SessionTask, didReceive response: HTTPURLResponse)
  /// Bytes of a response's body came.
  func task(_ task: SessionTask, didReceive data: Data)
  /// `count` more bytes of the request's body were handed to the connection.
  func task(_ task: SessionTask, didSendBodyData count: Int)
  /// The task goes on with another request.
  ///
  /// - Parameters:
  ///   - task: the task, which stays the same.
  ///   - request: the next request, as the redirect handler has made it.
  ///   - response: the redirection.
  func task(_ task: SessionTask, willBeRedirectedTo request: URLRequest, for response: HTTPURLResponse)
  /// The metrics of the task are known; called before its completion.
  func task(_ task: SessionTask, didFinishCollecting metrics: TaskMetrics)
  /// The last event of a task.
  func task(_ task: SessionTask, didCompleteWithError error: (any Error)?)

  // MARK: Requests

  /// The value given for the request made a `URLRequest`.
  func request(_ request: Request, didCreateInitialURLRequest urlRequest: URLRequest)
  /// The value did not make a `URLRequest`, or the result may not be sent.
  func request(_ request: Request, didFailToCreateURLRequestWithError error: TapelineError)
  /// The adapters have changed the request.
  ///
  /// - Parameters:
  ///   - request: the request that is being set up.
  ///   - initialRequest: the `URLRequest` that the first adapter got.
  ///   - adaptedRequest: the one that the last adapter returned.
  func request(_ request: Request, didAdaptInitialRequest initialRequest: URLRequest, to adaptedRequest: URLRequest)
  /// An adapter failed.
  ///
  /// - Parameters:
  ///   - request: the request, which fails now or is retried.
  ///   - initialRequest: the `URLRequest` that the first adapter got.
  ///   - error: always `requestAdaptationFailed`.
  func request(_ request: Request, didFailToAdaptURLRequest initialRequest: URLRequest, withError error: TapelineError)
  /// The request is as it will be sent.
  func request(_ request: Request, didCreateURLRequest urlRequest: URLRequest)
  /// The attempt has its task.
  func request(_ request: Request, didCreateTask task: SessionTask)
  /// The metrics of the attempt are known.
  func request(_ request: Request, didGatherMetrics metrics: TaskMetrics)
  /// The request failed before its task had ended by itself.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - task: the task, which is cancelled.
  ///   - error: why it failed.
  func request(_ request: Request, didFailTask task: SessionTask, earlyWithError error: TapelineError)
  /// The attempt has ended, and the response is validated.
  ///
  /// - Parameters:
  ///   - request: the request, which may be retried.
  ///   - task: the attempt's task.
  ///   - error: why the attempt failed; `nil` if it did not.
  func request(_ request: Request, didCompleteTask task: SessionTask, with error: TapelineError?)
  /// There will be another attempt.
  func requestIsRetrying(_ request: Request)
  /// There will be no further attempt; serializers run.
  func requestDidFinish(_ request: Request)
  /// The request was started, or goes on.
  func requestDidResume(_ request: Request)
  /// The request's task was started, or goes on.
  func request(_ request: Request, didResumeTask task: SessionTask)
  /// The request was suspended.
  func requestDidSuspend(_ request: Request)
  /// The request's task was suspended.
  func request(_ request: Request, didSuspendTask task: SessionTask)
  /// The request was cancelled.
  func requestDidCancel(_ request: Request)
  /// The request's task was cancelled.
  func request(_ request: Request, didCancelTask task: SessionTask)

  // MARK: Data requests

  /// A validation has looked at the response.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - urlRequest: the request as it was sent last.
  ///   - response: the head of the response.
  ///   - data: the body; `nil` if it is empty.
  ///   - result: the verdict.
  func request(
    _ request: DataRequest, didValidateRequest urlRequest: URLRequest?, response: HTTPURLResponse, data: Data?,
    withResult result: ValidationResult)
  /// A response without a serializer was made, in its earlier form.
  func request(_ request: DataRequest, didParseResponse response: DefaultDataResponse)
  /// A response without a serializer was made.
  func request(_ request: DataRequest, didParseResponse response: DataResponse<Data?>)
  /// A serializer has run.
  func request<Value: Sendable>(_ request: DataRequest, didParseResponse response: DataResponse<Value>)

  // MARK: Data streams

  /// A validation has looked at the response.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - urlRequest: the request as it was sent last.
  ///   - response: the head of the response.
  ///   - result: the verdict.
  func request(
    _ request: DataStreamRequest, didValidateRequest urlRequest: URLRequest?, response: HTTPURLResponse,
    withResult result: ValidationResult)
  /// A piece of the stream was made into a value.
  func request<Value: Sendable>(_ request: DataStreamRequest, didParseStream result: Result<Value, TapelineError>)

  // MARK: Uploads

  /// The body for this attempt was made.
  func request(_ request: UploadRequest, didCreateUploadable uploadable: Uploadable)
  /// The body could not be made.
  func request(_ request: UploadRequest, didFailToCreateUploadableWithError error: TapelineError)

  // MARK: Downloads

  /// The file is complete and at its destination, or could not be moved there.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - task: the attempt's task.
  ///   - result: where the file is, or why it is not there.
  func request(_ request: DownloadRequest, didFinishDownloadingUsing task: SessionTask, with result: Result<URL, TapelineError>)
  /// The destination of the file was decided.
  func request(_ request: DownloadRequest, didCreateDestinationURL url: URL)
  /// A validation has looked at the response.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - urlRequest: the request as it was sent last.
  ///   - response: the head of the response.
  ///   - fileURL: where the file is; `nil` if there is none.
  ///   - result: the verdict.
  func request(
    _ request: DownloadRequest, didValidateRequest urlRequest: URLRequest?, response: HTTPURLResponse, fileURL: URL?,
    withResult result: ValidationResult)
  /// A response without a serializer was made, in its earlier form.
  func request(_ request: DownloadRequest, didParseResponse response: DefaultDownloadResponse)
  /// A response without a serializer was made.
  func request(_ request: DownloadRequest, didParseResponse response: DownloadResponse<URL?>)
  /// A serializer has run.
  func request<Value: Sendable>(_ request: DownloadRequest, didParseResponse response: DownloadResponse<Value>)
}

/// Where an event monitor is called.
public enum EventMonitorContext: Sendable {
  /// On the session's loop, inside the event: in exact order and at no cost, but the monitor must not block.
  case loop
  /// On the given queue, or with `nil` on one that the session's monitors share; later, in order.
  case queue(DispatchQueue?)
}

extension EventMonitor {
  /// On the monitor's own `queue`, if it has one, else on the queue that the session's monitors share.
  public var context: EventMonitorContext {
    let queue = queue
    return .queue(queue === CompositeEventMonitor.sharedQueue ? nil : queue)
  }

  /// A placeholder for the queue that the session's monitors share.
  public var queue: DispatchQueue { CompositeEventMonitor.sharedQueue }
}

/// A monitor implements only the methods that it needs.
extension EventMonitor {
  public func sessionDidBecomeInvalid(withError error: (any Error)?) {}
  public func task(_ task: SessionTask, didReceive response: HTTPURLResponse) {}
  public func task(_ task: SessionTask, didReceive data: Data) {}
  public func task(_ task: SessionTask, didSendBodyData count: Int) {}
  public func task(_ task: SessionTask, willBeRedirectedTo request: URLRequest, for response: HTTPURLResponse) {}
  public func task(_ task: SessionTask, didFinishCollecting metrics: TaskMetrics) {}
  public func task(_ task: SessionTask, didCompleteWithError error: (any Error)?) {}
  public func request(_ request: Request, didCreateInitialURLRequest urlRequest: URLRequest) {}
  public func request(_ request: Request, didFailToCreateURLRequestWithError error: TapelineError) {}
  public func request(_ request: Request, didAdaptInitialRequest initialRequest: URLRequest, to adaptedRequest: URLRequest) {}
  public func request(_ request: Request, didFailToAdaptURLRequest initialRequest: URLRequest, withError error: TapelineError) {}
  public func request(_ request: Request, didCreateURLRequest urlRequest: URLRequest) {}
  public func request(_ request: Request, didCreateTask task: SessionTask) {}
  public func request(_ request: Request, didGatherMetrics metrics: TaskMetrics) {}
  public func request(_ request: Request, didFailTask task: SessionTask, earlyWithError error: TapelineError) {}
  public func request(_ request: Request, didCompleteTask task: SessionTask, with error: TapelineError?) {}
  public func requestIsRetrying(_ request: Request) {}
  public func requestDidFinish(_ request: Request) {}
  public func requestDidResume(_ request: Request) {}
  public func request(_ request: Request, didResumeTask task: SessionTask) {}
  public func requestDidSuspend(_ request: Request) {}
  public func request(_ request: Request, didSuspendTask task: SessionTask) {}
  public func requestDidCancel(_ request: Request) {}
  public func request(_ request: Request, didCancelTask task: SessionTask) {}
  public func request(
    _ request: DataRequest, didValidateRequest urlRequest: URLRequest?, response: HTTPURLResponse, data: Data?,
    withResult result: ValidationResult
  ) {}
  public func request(_ request: DataRequest, didParseResponse response: DefaultDataResponse) {}
  public func request(_ request: DataRequest, didParseResponse response: DataResponse<Data?>) {}
  public func request<Value: Sendable>(_ request: DataRequest, didParseResponse response: DataResponse<Value>) {}
  public func request(
    _ request: DataStreamRequest, didValidateRequest urlRequest: URLRequest?, response: HTTPURLResponse,
    withResult result: ValidationResult
  ) {}
  public func request<Value: Sendable>(_ request: DataStreamRequest, didParseStream result: Result<Value, TapelineError>) {}
  public func request(_ request: UploadRequest, didCreateUploadable uploadable: Uploadable) {}
  public func request(_ request: UploadRequest, didFailToCreateUploadableWithError error: TapelineError) {}
  public func request(
    _ request: DownloadRequest, didFinishDownloadingUsing task: SessionTask, with result: Result<URL, TapelineError>
  ) {}
  public func request(_ request: DownloadRequest, didCreateDestinationURL url: URL) {}
  public func request(
    _ request: DownloadRequest, didValidateRequest urlRequest: URLRequest?, response: HTTPURLResponse, fileURL: URL?,
    withResult result: ValidationResult
  ) {}
  public func request(_ request: DownloadRequest, didParseResponse response: DefaultDownloadResponse) {}
  public func request(_ request: DownloadRequest, didParseResponse response: DownloadResponse<URL?>) {}
  public func request<Value: Sendable>(_ request: DownloadRequest, didParseResponse response: DownloadResponse<Value>) {}
}
