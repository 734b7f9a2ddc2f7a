public import Dispatch
internal import Synchronization
internal import TapelineTransport

/// A request whose response body is handed on piece by piece as it comes, and not kept.
///
/// The handlers set the pace: while more than 256 KiB wait for a handler, the connection is not read. A retry begins the body
/// again, so its first pieces are handed on twice.
///
/// Safety: `@unchecked Sendable` is inherited; it stores constants, and an atomic.
public final class DataStreamRequest: Request, @unchecked Sendable {
  /// Makes the request.
  public let convertible: any URLRequestConvertible
  /// Whether a piece that cannot be serialized cancels the request: its handler gets the piece's error, then the completion
  /// with `explicitlyCancelled`.
  public let automaticallyCancelOnStreamError: Bool
  let streamDelegate: DataStreamTaskDelegate
  /// A handler has thrown in this attempt: pieces on their way to a handler are dropped.
  let isStopped = Atomic(false)

  init(
    convertible: any URLRequestConvertible, automaticallyCancelOnStreamError: Bool, backlogLimit: Int = Backlog.defaultLimit,
    scope: RequestScope
  ) {
    self.convertible = convertible
    self.automaticallyCancelOnStreamError = automaticallyCancelOnStreamError
    streamDelegate = DataStreamTaskDelegate(backlogLimit: backlogLimit)
    super.init(convertible: convertible, delegate: streamDelegate, scope: scope)
  }

  override func reset() {
    super.reset()
    isStopped.store(false, ordering: .releasing)
  }

  override func cleanup() {
    super.cleanup()
    streamDelegate.dismissSubscribers()
  }

  // MARK: The head

  /// Calls `handler` on `queue` with the head of the response and waits for its answer before any of the body is read.
  @discardableResult
  @preconcurrency
  public func onHTTPResponse(
    on queue: DispatchQueue? = nil,
    perform handler:
      @escaping @Sendable (
        _ response: HTTPURLResponse, _ completionHandler: @escaping @Sendable (ResponseDisposition) -> Void
      ) -> Void
  ) -> Self {
    setHeadHandler(HeadHandler(queue: queue ?? engine.callbackQueue, closure: handler))
    return self
  }

  func setHeadHandler(_ handler: HeadHandler) {
    streamDelegate.setHeadHandler(handler)
  }

  /// Calls `handler` on `queue` with the head of the response before any of the body is read.
  @discardableResult
  @preconcurrency
  public func onHTTPResponse(
    on queue: DispatchQueue? = nil, perform handler: @escaping @Sendable (HTTPURLResponse) -> Void
  ) -> Self {
    onHTTPResponse(on: queue) { response, completionHandler in
      handler(response)
      completionHandler(.allow)
    }
  }
}
