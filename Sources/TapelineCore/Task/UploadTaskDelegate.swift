internal import TapelineTime
public import TapelineTransport

/// Sends a request body that is pulled piece by piece, at the pace of the connection, and receives as a data task does.
open class UploadTaskDelegate: DataTaskDelegate, @unchecked Sendable {
  /// Octets of the body handed to the connection so far.
  public private(set) var bodyBytesSent: UInt64 = 0
  private var source: UploadBody

  public init(body: UploadBody) {
    source = body
  }

  open override func taskNeedsBody(limit: Int) -> BodyChunk {
    source.next(limit: limit)
  }

  open override func taskDidSendBody(_ count: Int) {
    bodyBytesSent += UInt64(count)
    stampInitialResponse(at: .now)
  }
}
