internal import Dispatch
internal import FoundationEssentials
internal import Synchronization
internal import TapelineCore
internal import TapelineHTTP
internal import TapelineInspect
internal import TapelineTransport

/// Sends recorded requests through a proxy, which records them.
final class RequestSender: Sendable {
  private let session: Session
  /// What is under way; the gate waits for all of it.
  private let underWay = DispatchGroup()
  private let places: DispatchSemaphore
  private let unsendable = Atomic<Int>(0)

  /// - Parameter parallel: the most requests at a time.
  init(configuration: SessionConfiguration, parallel: Int) {
    var configuration = configuration
    configuration.httpMaximumConnectionsPerHost = parallel
    session = Session(configuration: configuration)
    places = DispatchSemaphore(value: parallel)
  }

  /// Sends a request as soon as there is a place for it.
  func send(_ request: RecordedRequest) {
    let outgoing: OutgoingRequest
    do throws(HTTPParseError) {
      outgoing = try OutgoingRequest(request)
    } catch {
      unsendable.add(1, ordering: .relaxed)
      Console.say("\(request.method) \(request.url): it cannot be sent: \(error.message)")
      return
    }
    places.wait()
    underWay.enter()
    let delegate = SentRequestDelegate(body: request.body) { [self] in
      places.signal()
      underWay.leave()
    }
    session.forward(outgoing, with: delegate).resume()
  }

  /// Waits for all that was sent; how many could not be.
  func finish() -> Int {
    underWay.wait()
    return unsendable.load(ordering: .relaxed)
  }
}

/// Sends the body and lets the response pass: the proxy records it.
///
/// Safety: `@unchecked Sendable` is inherited; its own state is touched on the loop only.
private final class SentRequestDelegate: UploadTaskDelegate, @unchecked Sendable {
  private var didEnd: (() -> Void)?

  init(body: [UInt8], didEnd: @escaping @Sendable () -> Void) {
    self.didEnd = didEnd
    super.init(body: .data(Data(body)))
  }

  override func taskDidReceive(_ bytes: Span<UInt8>) -> Demand { .more }

  override func taskDidComplete() {
    didEnd?()
    didEnd = nil
  }
}

extension OutgoingRequest {
  /// A recorded request; its host and the length of its body are said anew.
  fileprivate convenience init(_ request: RecordedRequest) throws(HTTPParseError) {
    var fields = HeaderFields()
    for field in request.fields { fields.append(name: field.name, value: field.value) }
    let head = try RequestHead(method: HTTPMethod(rawValue: request.method), target: request.url, fields: fields)
    guard case .absolute(let target) = head.target else { preconditionFailure("a recorded request names an absolute URL") }
    let security: RouteSecurity = target.scheme == .https ? .tls(serverName: target.host) : .none
    self.init(
      head: head, framing: request.body.isEmpty ? .none : .length(UInt64(request.body.count)),
      route: Route(host: target.host, port: target.port, security: security), sender: .ourselves)
  }
}
