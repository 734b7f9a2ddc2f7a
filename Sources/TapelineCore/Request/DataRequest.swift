public import Dispatch
internal import FoundationEssentials
internal import TapelineTransport

/// A request whose response body is kept in memory.
public class DataRequest: Request, @unchecked Sendable {
  private let dataDelegate: DataTaskDelegate

  init(session: Session, work: SessionTask.Work, delegate: DataTaskDelegate) {
    dataDelegate = delegate
    super.init(session: session, work: work, delegate: delegate)
  }

  /// Calls `completionHandler` on `queue` once the request has ended, with what it ended with. Starts the request.
  @discardableResult
  public func response(queue: DispatchQueue, completionHandler: @escaping @Sendable (DefaultDataResponse) -> Void) -> Self {
    addOperation { [self] in
      let response = DefaultDataResponse(
        request: dataDelegate.task?.requestHead.map { URLRequest(head: $0) }, response: dataDelegate.response,
        data: dataDelegate.body.map { Data($0) },
        error: dataDelegate.error, timeline: timeline, metrics: dataDelegate.metrics)
      queue.async { completionHandler(response) }
    }
    return resume()
  }
}
