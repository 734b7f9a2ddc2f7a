internal import Dispatch
internal import TapelineHTTP
package import TapelineTransport

/// A request with a body that its task pulls. Its response is kept in memory.
///
/// Safety: `@unchecked Sendable` is inherited; what it adds is behind a lock.
public final class UploadRequest: DataRequest, @unchecked Sendable {
  /// Makes the request and its body.
  public let upload: any UploadConvertible
  private let preparation = Protected(Preparation())

  private struct Preparation: Sendable {
    var uploadable: Uploadable?
    var framing: BodyFraming?
    /// Nothing more is sent: a body that is made too late is removed at once.
    var isEnded = false
  }

  init(upload: any UploadConvertible, scope: RequestScope) {
    self.upload = upload
    super.init(convertible: upload, delegate: UploadTaskDelegate(body: .none), scope: scope)
  }

  /// The body of the current or the last attempt; `nil` before it was made. A file that was made for this request alone is
  /// deleted when the request has ended.
  public var uploadable: Uploadable? { preparation.read { $0.uploadable } }

  /// Ends the body with trailers (RFC 9110 6.5): it goes out in chunks, even if its length is known. Name them in a `Trailer`
  /// field. Call it before the request is started.
  ///
  /// - Parameter trailers: called for each attempt, on the session's loop, when all of the body has been read: for a digest or a
  ///   signature of what was sent. It must not block. Fields for framing or routing are left out.
  /// - Returns: this request.
  @discardableResult
  @preconcurrency
  public func trailers(_ trailers: @escaping @Sendable () -> HTTPHeaders) -> Self {
    (delegate as? UploadTaskDelegate)?.setTrailers(trailers)
    return self
  }

  override func prepare(_ request: URLRequest) throws -> URLRequest {
    let (uploadable, body, framing) = try makeBody()
    let isWanted = preparation.write { preparation in
      guard !preparation.isEnded else { return false }
      preparation.uploadable = uploadable
      preparation.framing = framing
      return true
    }
    if isWanted {
      onRoot { [self] in
        (delegate as? UploadTaskDelegate)?.begin(body, length: framing.length)
        eventMonitor?.request(self, didCreateUploadable: uploadable)
      }
    } else {
      uploadable.removeIfTemporary()
    }
    return try super.prepare(request)
  }

  private func makeBody() throws -> (Uploadable, UploadBody, BodyFraming) {
    do {
      let uploadable = try upload.createUploadable()
      do {
        let (body, framing) = try uploadable.body()
        return (uploadable, body, framing)
      } catch {
        uploadable.removeIfTemporary()
        throw error
      }
    } catch {
      let error = error.asTapelineError(or: .createUploadableFailed(error: error))
      onRoot { [self] in eventMonitor?.request(self, didFailToCreateUploadableWithError: error) }
      throw error
    }
  }

  package override func outgoing(for request: URLRequest) throws -> OutgoingRequest {
    // A redirection that became a GET sends no body (RFC 9110 15.4).
    guard let framing = preparation.read({ $0.framing }), request.method != .get, request.method != .head else {
      return try super.outgoing(for: request)
    }
    let hasTrailers = (delegate as? UploadTaskDelegate)?.hasTrailers ?? false
    return try negotiating(request).outgoing(framing: hasTrailers ? .chunked : framing)
  }

  override func reset() {
    super.reset()
    discardUploadable(isEnded: false)
  }

  override func cleanup() {
    super.cleanup()
    discardUploadable(isEnded: true)
  }

  /// Deletes the body's file if it was made for this request alone. After the end `uploadable` still says what was sent.
  private func discardUploadable(isEnded: Bool) {
    let discarded = preparation.write { preparation in
      defer { preparation = Preparation(uploadable: isEnded ? preparation.uploadable : nil, isEnded: isEnded) }
      return preparation.isEnded ? nil : preparation.uploadable
    }
    guard let discarded else { return }
    FileWork.queue.async { discarded.removeIfTemporary() }
  }
}

extension BodyFraming {
  fileprivate var length: UInt64? {
    switch self {
    case .length(let length): length
    case .none: 0
    case .chunked, .untilClose: nil
    }
  }
}
