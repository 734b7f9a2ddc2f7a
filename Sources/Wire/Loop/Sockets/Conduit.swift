internal import TapelineSystem

/// A pipe of the kernel through which bytes go from one channel's socket to another's, and are never copied into this program
/// (splice(2)). Loop-bound.
///
/// The source fills it, the destination drains it. Its two descriptors go back as soon as the source has stopped and nothing is
/// left inside, or the destination ends.
final class Conduit {
  private enum State {
    case filling
    /// The source has stopped; the rest goes out.
    case draining
    case closed
  }

  private let loop: EventLoop
  private var state = State.filling
  private var pipe: Pipe?
  /// Bytes inside.
  private(set) var count = 0

  /// The bytes that one holds: enough for a round trip between two sockets, and the most that wait before their source pauses.
  static let capacity = 256 * 1024
  /// A loop has at most this many at a time. Each takes two descriptors.
  static let limit = 32

  /// `nil` if the loop has as many as it may, or the system gives no more descriptors or pages: the bytes are copied then.
  init?(on loop: EventLoop) {
    guard loop.conduits < Self.limit else { return nil }
    do throws(SystemCallError) {
      pipe = try Pipe(capacity: Self.capacity)
    } catch {
      return nil
    }
    self.loop = loop
    loop.conduits += 1
  }

  deinit {
    assert(isClosed, "a conduit was dropped without being closed")
  }

  var isClosed: Bool {
    switch state {
    case .filling, .draining: false
    case .closed: true
    }
  }

  /// Takes at most `limit` bytes from a socket.
  func fill(from socket: Int32, atMost limit: Int) throws(SystemCallError) -> IOResult {
    guard case .filling = state, let input = pipe?.input.rawValue else {
      preconditionFailure("a conduit was filled after its end")
    }
    let result = try SystemCalls.splice(from: socket, to: input, count: limit)
    if case .done(let moved) = result { count += moved }
    return result
  }

  /// Gives a socket as many bytes as it takes.
  func drain(to socket: Int32) throws(SystemCallError) -> IOResult {
    guard let output = pipe?.output.rawValue else { preconditionFailure("a conduit was drained after its end") }
    let result = try SystemCalls.splice(from: output, to: socket, count: count)
    if case .done(let moved) = result { didDrain(moved) }
    return result
  }

  /// Takes the bytes inside out, for somebody else to send.
  func takeBytes() -> [UInt8] {
    var bytes: [UInt8] = []
    do throws(SystemCallError) {
      while count > 0, let output = pipe?.output.rawValue, let piece = try SystemCalls.read(output, upTo: count), !piece.isEmpty {
        bytes += piece
        didDrain(piece.count)
      }
    } catch {
      preconditionFailure("a pipe lost what it held: \(error)")
    }
    return bytes
  }

  private func didDrain(_ moved: Int) {
    count -= moved
    closeIfDone()
  }

  /// The source has stopped.
  func endFilling() {
    guard case .filling = state else { return }
    state = .draining
    closeIfDone()
  }

  private func closeIfDone() {
    if case .draining = state, count == 0 { close() }
  }

  /// Drops what is inside. Idempotent.
  func close() {
    guard let pipe = pipe.take() else { return }
    pipe.discard()
    (state, count) = (.closed, 0)
    loop.conduits -= 1
  }
}
