public import FoundationEssentials
public import TapelineTransport

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
  public func request<Value: Sendable>(_ request: DownloadRequest, didParseResponse response: DownloadResponse<Value>) {}
}
