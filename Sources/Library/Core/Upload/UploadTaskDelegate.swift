public import FoundationEssentials
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
  private let makeTrailers = Protected<(@Sendable () -> HTTPHeaders)?>(nil)
  /// Those of this attempt, once they were asked for.
  private var trailers: HTTPHeaders?

  /// Sends `body`.
  public init(body: UploadBody) {
    source = body
  }

  /// Takes the body of the next attempt. On the loop.
  final func begin(_ body: UploadBody, length: UInt64?) {
    source = body
    trailers = nil
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
    trailers = nil
    bodyBytesSent = 0
    return true
  }

  /// Sets what the trailers are made by; from any thread.
  final func setTrailers(_ trailers: @escaping @Sendable () -> HTTPHeaders) {
    makeTrailers.wrappedValue = trailers
  }

  final var hasTrailers: Bool { makeTrailers.read { $0 != nil } }

  open override var taskTrailers: HTTPHeaders? {
    if trailers == nil { trailers = makeTrailers.wrappedValue?() }
    return trailers
  }

  open override func taskDidSendBody(_ count: Int) {
    bodyBytesSent += UInt64(count)
    stampInitialResponse(at: .now)
    request?.updateUploadProgress(completed: Int64(clamping: bodyBytesSent), total: length)
  }
}

/// Where the body of an upload comes from.
public enum UploadBody: Sendable {
  /// No body.
  case none
  /// Bytes in memory, and how many of them have been taken.
  case data(Data, offset: Int = 0)
  /// A closure that is asked for the next piece, at most `limit` bytes, each time the connection can take one.
  case stream(@Sendable (_ limit: Int) -> BodyChunk)
  /// A file or a user's stream, read ahead on a queue of its own.
  case reader(Reading)

  /// Wraps the reader that reads ahead, so that users need not know its type.
  public struct Reading: Sendable {
    let reader: BodyReader
  }

  /// The next piece; advances.
  ///
  /// - Parameter ready: called from any thread after a reader had nothing yet, once it has more.
  mutating func next(limit: Int, ready: @escaping @Sendable () -> Void) throws -> BodyChunk {
    switch self {
    case .none:
      return .end
    case .data(let bytes, let offset):
      guard offset < bytes.count else { return .end }
      let end = min(offset + limit, bytes.count)
      self = .data(bytes, offset: end)
      return .bytes(Array(bytes[(bytes.startIndex + offset)..<(bytes.startIndex + end)]))
    case .stream(let pull):
      return pull(limit)
    case .reader(let reading):
      return switch reading.reader.next(limit: limit, ready: ready) {
      case .bytes(let bytes): .bytes(bytes)
      case .later: .later
      case .end: .end
      case .failed(let error): throw error
      }
    }
  }

  /// The same body from its start, for another exchange; `nil` when it cannot be sent twice.
  func renewed() -> UploadBody? {
    switch self {
    case .none: UploadBody.none
    case .data(let bytes, _): .data(bytes)
    case .stream: nil
    case .reader(let reading): .reader(Reading(reader: BodyReader(reading.reader.stream)))
    }
  }
}
