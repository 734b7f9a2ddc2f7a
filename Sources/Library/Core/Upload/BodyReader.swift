internal import Dispatch
internal import Synchronization

/// Reads a body ahead of its connection, on a queue of its own, so that the loop never waits for a disk or a user's stream.
///
/// The loop takes bytes with `next`; if that returns `later`, `ready` is called, on the queue, once there is more.
final class BodyReader: Sendable {
  enum Piece: Sendable {
    case bytes([UInt8])
    case later
    case end
    case failed(any Error)
  }

  /// At most this many bytes are read ahead, plus one piece.
  static let readAheadLimit = 256 * 1024
  private static let pieceSize = 64 * 1024

  private enum Source: Sendable {
    case unopened
    case open(UploadStream.Reader)
    case ended
  }

  private struct State: Sendable {
    var pieces = PieceQueue<[UInt8]>()
    var buffered = 0
    var highest = 0
    var outcome: Outcome?
    var isReading = false
    var ready: (@Sendable () -> Void)?
    var isAwaited = false
  }

  private enum Outcome: Sendable {
    case end
    case failed(any Error)
  }

  let stream: UploadStream
  private let queue = DispatchQueue(label: "tapeline.upload", qos: .utility)
  private let state = Mutex(State())
  /// Touched on `queue` only, where it is never contended.
  private let source = Mutex(Source.unopened)

  init(_ stream: UploadStream) {
    self.stream = stream
  }

  var length: UInt64? { stream.length }

  /// The most bytes that waited at any time.
  var highestBacklog: Int { state.withLock { $0.highest } }

  /// The next bytes, at most `limit`. `ready` belongs to this call: if `later` was returned, `ready` is called once that no
  /// longer holds.
  func next(limit: Int, ready: @escaping @Sendable () -> Void) -> Piece {
    let (piece, mustRead) = state.withLock { state -> (Piece, Bool) in
      let piece = Self.take(limit, from: &state)
      if case .later = piece {
        state.ready = ready
        state.isAwaited = true
      }
      let mustRead = state.outcome == nil && !state.isReading && state.buffered < Self.readAheadLimit
      if mustRead { state.isReading = true }
      return (piece, mustRead)
    }
    if mustRead { queue.async { self.readAhead() } }
    return piece
  }

  private static func take(_ limit: Int, from state: inout State) -> Piece {
    guard var piece = state.pieces.popFirst() else {
      return switch state.outcome {
      case nil: .later
      case .end: .end
      case .failed(let error): .failed(error)
      }
    }
    if piece.count > limit {
      state.pieces.putBack(Array(piece[limit...]))
      piece.removeSubrange(limit...)
    }
    state.buffered -= piece.count
    return .bytes(piece)
  }

  // MARK: On the queue

  private func readAhead() {
    while true {
      let outcome: Outcome?
      var piece: [UInt8] = []
      do {
        piece = try readPiece()
        outcome = piece.isEmpty ? .end : nil
      } catch {
        outcome = .failed(error)
      }
      if outcome != nil { source.withLock { $0 = .ended } }
      let (goesOn, ready) = state.withLock { state in Self.put(piece, outcome, into: &state) }
      ready?()
      guard goesOn else { return }
    }
  }

  private static func put(_ piece: [UInt8], _ outcome: Outcome?, into state: inout State) -> (Bool, (@Sendable () -> Void)?) {
    if piece.isEmpty {
      state.outcome = outcome
    } else {
      state.pieces.append(piece)
      state.buffered += piece.count
      state.highest = max(state.highest, state.buffered)
    }
    state.isReading = outcome == nil && state.buffered < readAheadLimit
    guard state.isAwaited else { return (state.isReading, nil) }
    state.isAwaited = false
    let ready = state.ready
    state.ready = nil
    return (state.isReading, ready)
  }

  private func readPiece() throws -> [UInt8] {
    let opened = source.withLock { $0 }
    switch opened {
    case .unopened:
      let reader = try stream.openChecked()
      source.withLock { $0 = .open(reader) }
      return try reader(Self.pieceSize)
    case .open(let reader):
      return try reader(Self.pieceSize)
    case .ended:
      return []
    }
  }
}

/// Holds a stream to its declared length.
final class LengthCheck: Sendable {
  private let expected: UInt64
  private let read = Mutex<UInt64>(0)

  init(_ expected: UInt64) {
    self.expected = expected
  }

  /// The next bytes of the stream, none at its end, passed on if they fit.
  func pass(_ bytes: [UInt8]) throws(UploadError) -> [UInt8] {
    let total = read.withLock { read in
      read += UInt64(bytes.count)
      return read
    }
    guard total <= expected else { throw .exceededLength(expected: expected) }
    guard !bytes.isEmpty || total == expected else { throw .endedEarly(expected: expected, read: total) }
    return bytes
  }
}

/// Why a body could not be sent to its end, or not with its declared length.
public enum UploadError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The file or stream ended before its declared length: the file was truncated meanwhile, or the length was wrong.
  case endedEarly(expected: UInt64, read: UInt64)
  /// The stream went on after its declared length.
  case exceededLength(expected: UInt64)

  /// One sentence.
  public var description: String {
    switch self {
    case .endedEarly(let expected, let read): "the body ended after \(read) of \(expected) bytes"
    case .exceededLength(let expected): "the body went on after its \(expected) bytes"
    }
  }
}
