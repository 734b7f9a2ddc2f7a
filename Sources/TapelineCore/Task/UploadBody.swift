public import FoundationEssentials
public import TapelineTransport

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
