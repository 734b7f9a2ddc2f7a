public import Dispatch
public import FoundationEssentials
package import TapelineTransport

/// A request whose response body is kept in memory.
///
/// It asks for content codings and undoes them, unless the request has an `Accept-Encoding` or a `Range` of its own: then the
/// body stays as received.
///
/// Safety: `@unchecked Sendable` is inherited; it stores constants.
public class DataRequest: Request, @unchecked Sendable {
  /// Makes the request: the value that the session was given, where it was given one.
  public final let convertible: any URLRequestConvertible
  private let dataDelegate: DataTaskDelegate

  /// A request of the library.
  init(convertible: any URLRequestConvertible, delegate: DataTaskDelegate, scope: RequestScope) {
    self.convertible = convertible
    dataDelegate = delegate
    super.init(convertible: convertible, delegate: delegate, scope: scope)
  }

  /// The response's body so far; `nil` before the first byte, and when a closure consumed it.
  public final var data: Data? { dataDelegate.data }

  // MARK: The head

  /// Calls `handler` on `queue` with the head of the response and waits for its answer before any of the body is read.
  @discardableResult
  @preconcurrency
  public final func onHTTPResponse(
    on queue: DispatchQueue? = nil,
    perform handler:
      @escaping @Sendable (
        _ response: HTTPURLResponse, _ completionHandler: @escaping @Sendable (ResponseDisposition) -> Void
      ) -> Void
  ) -> Self {
    setHeadHandler(HeadHandler(queue: queue ?? engine.callbackQueue, closure: handler))
    return self
  }

  final func setHeadHandler(_ handler: HeadHandler) {
    dataDelegate.setHeadHandler(handler)
  }

  /// Calls `handler` on `queue` with the head of the response before any of the body is read.
  @discardableResult
  @preconcurrency
  public final func onHTTPResponse(
    on queue: DispatchQueue? = nil, perform handler: @escaping @Sendable (HTTPURLResponse) -> Void
  ) -> Self {
    onHTTPResponse(on: queue) { response, completionHandler in
      handler(response)
      completionHandler(.allow)
    }
  }

  // MARK: For the session

  override func didReceiveAll(_ task: SessionTask) {
    offerToCache(task)
  }

  override func cleanup() {
    super.cleanup()
    dataDelegate.setHeadHandler(nil)
  }

  package override func outgoing(for request: URLRequest) throws -> OutgoingRequest {
    try super.outgoing(for: negotiating(request))
  }

  /// The request, with an `Accept-Encoding` if the library asks for content codings. In the root context.
  final func negotiating(_ request: URLRequest) -> URLRequest {
    dataDelegate.negotiating(request)
  }
}
