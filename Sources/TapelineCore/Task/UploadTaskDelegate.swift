internal import TapelineLoop
internal import TapelineTime
public import TapelineTransport

/// Sends a request body that is pulled piece by piece, at the pace of the connection, and receives as a data task does.
///
/// Safety: `@unchecked Sendable` is inherited; what it adds is touched on the loop only.
open class UploadTaskDelegate: DataTaskDelegate, @unchecked Sendable {
  /// Bytes of the body handed to the connection so far.
  public private(set) var bodyBytesSent: UInt64 = 0
  private var source: UploadBody
  /// Bytes of the whole body; -1 when unknown.
  private var length: Int64 = -1

  /// Sends `body`.
  public init(body: UploadBody) {
    source = body
  }

  /// Takes the body of the next attempt. On the loop.
  final func begin(_ body: UploadBody, length: UInt64?) {
    source = body
    bodyBytesSent = 0
    self.length = length.map { Int64(clamping: $0) } ?? -1
  }

  /// The most bytes that waited to be sent.
  var highestBacklog: Int {
    if case .reader(let reading) = source { reading.reader.highestBacklog } else { 0 }
  }

  open override func taskNeedsBody(limit: Int) -> BodyChunk {
    guard let task else { return .end }
    do {
      return try source.next(limit: limit) {
        task.loop.execute { task.bodyBecameAvailable() }
      }
    } catch {
      fail(with: error.asTapelineError(or: .sessionTaskFailed(error: error)))
      return .later
    }
  }

  open override func taskNeedsNewBody() -> Bool {
    guard let renewed = source.renewed() else { return false }
    source = renewed
    bodyBytesSent = 0
    return true
  }

  open override func taskDidSendBody(_ count: Int) {
    bodyBytesSent += UInt64(count)
    stampInitialResponse(at: .now)
    request?.updateUploadProgress(completed: Int64(clamping: bodyBytesSent), total: length)
  }
}
