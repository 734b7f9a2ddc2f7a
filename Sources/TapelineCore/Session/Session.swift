package import TapelineLoop
package import TapelineTransport
internal import Synchronization

/// Makes requests and owns what they share: a loop, a transport, and the delegate that hears of every task.
///
/// One session lives on one event loop; everything its tasks report happens there, so nothing on the data path takes a lock.
///
/// Safety: `@unchecked Sendable` because requests may be made from any thread; the transport is used on the loop only.
public final class Session: @unchecked Sendable {
  public let delegate = SessionDelegate()
  package let loop: EventLoop
  /// Loop-bound.
  private let transport: any Transport
  private let lastIdentifier = Atomic<Int>(0)

  package init(loop: EventLoop, transport: any Transport) {
    self.loop = loop
    self.transport = transport
  }

  // MARK: Requests

  /// A request whose response is kept in memory. It starts with `resume()` or its first handler.
  package func request(_ request: OutgoingRequest) -> DataRequest {
    DataRequest(session: self, work: .exchange(request), delegate: DataTaskDelegate())
  }

  /// As `request`, with a body that the task pulls.
  package func upload(_ body: UploadBody, with request: OutgoingRequest) -> UploadRequest {
    UploadRequest(session: self, work: .exchange(request), delegate: UploadTaskDelegate(body: body))
  }

  /// Replays a client's request: lossless head, body pulled from `leaf`, response pushed to it. `resume()` starts it.
  package func forward(_ request: OutgoingRequest, with leaf: UploadTaskDelegate) -> UploadRequest {
    UploadRequest(session: self, work: .exchange(request), delegate: leaf)
  }

  /// A raw stream to `route`. `resume()` starts it.
  package func stream(to route: Route, with leaf: StreamTaskDelegate) -> StreamRequest {
    StreamRequest(session: self, work: .stream(route), delegate: leaf)
  }

  // MARK: For requests

  /// Makes the request's task and starts it. On the loop.
  func perform(_ request: Request) {
    loop.preconditionCurrent()
    let identifier = lastIdentifier.wrappingAdd(1, ordering: .relaxed).newValue
    let task = SessionTask(taskIdentifier: identifier, work: request.work, loop: loop, transport: transport, events: delegate)
    delegate.associate(request, with: task)
    request.delegate.task = task
    task.resume()
  }
}
