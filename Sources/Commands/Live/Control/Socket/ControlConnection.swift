internal import TapelineSystem
internal import TapelineTime

/// One connection of a control socket, on either side: lines, and the patience to wait for them. Owns its descriptor.
final class ControlConnection: Sendable {
  private let descriptor: Int32

  /// Takes over a non-blocking descriptor.
  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    // A failing close can only lose a reply that nobody took.
    SystemCalls.discard(descriptor)
  }

  /// Connects to the socket at `path`, and waits if the server's queue is full.
  static func open(_ path: String, before deadline: MonotonicInstant) throws(ControlConnectionError) -> ControlConnection {
    // A NUL would cut the path short, to the path of another socket.
    guard !path.utf8.contains(0) else { throw .system(ErrorCode.invalidArgument) }
    do throws(SystemCallError) {
      let connection = ControlConnection(descriptor: try SystemCalls.makeLocalSocket())
      while try SystemCalls.connectLocal(connection.descriptor, to: path) == .wouldBlock {
        guard MonotonicInstant.now < deadline else { throw SystemCallError(code: ErrorCode.timedOut, call: .connect) }
        SystemThread.sleep(for: retryInterval)
      }
      return connection
    } catch {
      throw error.code == ErrorCode.timedOut ? .timedOut : .system(error.code)
    }
  }

  /// No event reports that a server's queue has room again.
  private static let retryInterval = Duration.milliseconds(10)

  /// The user at the other end, as the kernel knows it.
  var peerUser: UInt32? {
    do throws(SystemCallError) {
      return try SystemCalls.peerUser(of: descriptor)
    } catch {
      return nil
    }
  }

  /// For a caller that waits for several connections at once.
  var request: PollRequest { PollRequest(.readable, on: descriptor) }

  /// The bytes that have come; `nil` if nothing has come yet, empty at the end.
  func receiveNow() throws(ControlConnectionError) -> [UInt8]? {
    do throws(ControlConnectionError) {
      return try receive(before: .now)
    } catch .timedOut {
      return nil
    }
  }

  /// A line without its end. Bytes after the line are dropped: there is one line each way.
  func receiveLine(limit: Int, before deadline: MonotonicInstant) throws(ControlConnectionError) -> [UInt8] {
    var line: [UInt8] = []
    while line.count <= limit {
      let piece = try receive(before: deadline)
      guard !piece.isEmpty else { throw .closed }
      guard let end = piece.firstIndex(of: UInt8(ascii: "\n")) else {
        line += piece
        continue
      }
      line += piece[..<end]
      guard line.count <= limit else { break }
      return line
    }
    throw .lineTooLong(limit: limit)
  }

  func send(_ bytes: [UInt8], before deadline: MonotonicInstant) throws(ControlConnectionError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      do throws(SystemCallError) {
        switch try SystemCalls.send(rest, to: descriptor) {
        case .done(let count):
          rest = rest.dropFirst(count)
          continue
        case .wouldBlock: break
        }
      } catch {
        throw [ErrorCode.brokenPipe, ErrorCode.connectionReset].contains(error.code) ? .closed : .system(error.code)
      }
      try wait(for: .writable, before: deadline)
    }
  }

  /// Returns when the peer has closed its end.
  func receiveEnd(before deadline: MonotonicInstant) throws(ControlConnectionError) {
    while try !receive(before: deadline).isEmpty {}
  }

  /// Some bytes; empty at the end.
  private func receive(before deadline: MonotonicInstant) throws(ControlConnectionError) -> [UInt8] {
    while true {
      do throws(SystemCallError) {
        if let bytes = try SystemCalls.read(descriptor, upTo: Self.pieceSize) { return bytes }
      } catch {
        guard error.code == ErrorCode.connectionReset else { throw .system(error.code) }
        return []
      }
      try wait(for: .readable, before: deadline)
    }
  }

  private static let pieceSize = 4_096

  private func wait(for event: PollRequest.Event, before deadline: MonotonicInstant) throws(ControlConnectionError) {
    let rest = deadline.nanoseconds(since: .now)
    guard rest > 0 else { throw .timedOut }
    var requests = [PollRequest(event, on: descriptor)]
    // The next attempt notices an interrupted or early wait.
    SystemCalls.poll(&requests, milliseconds: Int32(clamping: rest / 1_000_000 + 1))
  }
}

enum ControlConnectionError: Error, Hashable, CustomStringConvertible {
  /// An `errno`.
  case system(Int32)
  case timedOut
  /// The peer has left.
  case closed
  case lineTooLong(limit: Int)

  var description: String {
    switch self {
    case .system(let code): SystemCallError.text(of: code)
    case .timedOut: "no answer in time"
    case .closed: "the connection was closed"
    case .lineTooLong(let limit): "a message has at most \(limit) bytes"
    }
  }
}
