internal import CTapeline
internal import Glibc
internal import TapelineTime

/// One connection of a control socket, on either side: lines, and the patience to wait for them. Owns its descriptor.
final class ControlConnection: Sendable {
  private let descriptor: Int32

  /// Takes over a non-blocking descriptor.
  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    // What is lost in a failing close is no more than a reply that nobody took.
    _ = tapeline_close(descriptor)
  }

  /// Connects to the socket at `path`, waiting for a server that has many to serve.
  static func open(_ path: String, before deadline: MonotonicInstant) throws(ControlConnectionError) -> ControlConnection {
    // Up to a NUL it would be the path of another.
    guard !path.utf8.contains(0) else { throw .system(EINVAL) }
    let descriptor = tapeline_local_socket()
    guard descriptor >= 0 else { throw .system(-descriptor) }
    let connection = ControlConnection(descriptor: descriptor)
    while true {
      switch unsafe -tapeline_local_connect(descriptor, path) {
      case 0: return connection
      case EINTR: continue
      case EAGAIN:
        guard MonotonicInstant.now < deadline else { throw .timedOut }
        pause(nanoseconds: Self.retryInterval)
      case let cause: throw .system(cause)
      }
    }
  }

  /// The queue of a server has no event by which to wait for it.
  private static let retryInterval: Int64 = 10_000_000

  /// The user at the other end, as the kernel knows it.
  var peerUser: uid_t? {
    var user: uid_t = 0
    return unsafe tapeline_local_peer_user(descriptor, &user) == 0 ? user : nil
  }

  /// For whoever waits for several connections at once.
  var request: pollfd { pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0) }

  /// What has come; `nil` while nothing has, none at the end.
  func receiveNow() throws(ControlConnectionError) -> [UInt8]? {
    do throws(ControlConnectionError) {
      return try receive(before: .now)
    } catch .timedOut {
      return nil
    }
  }

  /// A line without its end. What follows it is dropped: there is one line each way.
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
      let count = unsafe rest.withUnsafeBytes { unsafe tapeline_local_send(descriptor, $0.baseAddress, $0.count) }
      switch -Int32(truncatingIfNeeded: min(count, 0)) {
      case 0: rest = rest.dropFirst(count)
      case EINTR: continue
      case EAGAIN: try wait(for: Int16(POLLOUT), before: deadline)
      case EPIPE, ECONNRESET: throw .closed
      case let cause: throw .system(cause)
      }
    }
  }

  /// Returns when the peer has closed its end.
  func receiveEnd(before deadline: MonotonicInstant) throws(ControlConnectionError) {
    while try !receive(before: deadline).isEmpty {}
  }

  /// Some bytes; none at the end.
  private func receive(before deadline: MonotonicInstant) throws(ControlConnectionError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Self.pieceSize)
    while true {
      let count = unsafe bytes.withUnsafeMutableBytes { unsafe tapeline_read(descriptor, $0.baseAddress, $0.count) }
      switch -Int32(truncatingIfNeeded: min(count, 0)) {
      case 0:
        bytes.removeSubrange(count...)
        return bytes
      case EINTR: continue
      case EAGAIN: try wait(for: Int16(POLLIN), before: deadline)
      case ECONNRESET: return []
      case let cause: throw .system(cause)
      }
    }
  }

  private static let pieceSize = 4_096

  private func wait(for events: Int16, before deadline: MonotonicInstant) throws(ControlConnectionError) {
    let rest = deadline.nanoseconds(since: .now)
    guard rest > 0 else { throw .timedOut }
    var request = pollfd(fd: descriptor, events: events, revents: 0)
    // An interrupted or early wait is found out by the next attempt.
    _ = unsafe poll(&request, 1, Int32(clamping: rest / 1_000_000 + 1))
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
    case .system(let code): systemErrorText(code)
    case .timedOut: "no answer in time"
    case .closed: "the connection was closed"
    case .lineTooLong(let limit): "a message has at most \(limit) bytes"
    }
  }
}

/// Lets time pass on this thread; less when a signal comes.
func pause(nanoseconds: Int64) {
  guard nanoseconds > 0 else { return }
  var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  _ = unsafe nanosleep(&time, nil)
}
