internal import CTapeline
package import TapelineSystem

/// A call of connect(2) by a watched program (`ProgramStart.startWatched`), which waits for us to permit it. What is said of the
/// caller holds until then.
package struct ConnectCall {
  private let call: tapeline_connect_call
  /// The address that a connection would reach; `nil` if it is none of the internet, or if we may not look at the caller.
  package let destination: SocketAddress?

  /// Takes the next call from the descriptor that tells of them; waits for one. `nil` if its caller has ended.
  package init?(on descriptor: Int32) throws(SystemCallError) {
    guard let call = try SystemCalls.nextConnectCall(on: descriptor) else { return nil }
    self.call = call
    // From here on its caller waits for us alone.
    ProcessRestart.keep(call.id, as: .connectCall)
    destination = SystemCalls.destination(of: call).map { SocketAddress($0).reached }
  }

  package var isTCP: Bool { SystemCalls.isTCP(call) }

  /// The process that calls.
  package var caller: RunningProcess? { RunningProcess(thread: call.thread) }

  /// Lets the kernel make the call as it was. Call it once.
  package func permit(on descriptor: Int32) {
    SystemCalls.permit(call, on: descriptor)
    ProcessRestart.keep(UInt64(0), as: .connectCall)
  }

  /// Permits the call that was being looked at when the process crashed, if one was.
  package static func permitKept(on descriptor: Int32) {
    guard ProcessRestart.lastCrash != nil, ProcessRestart.word(.connectCall) != 0 else { return }
    var call = tapeline_connect_call()
    call.id = UInt64(bitPattern: ProcessRestart.word(.connectCall))
    SystemCalls.permit(call, on: descriptor)
    ProcessRestart.keep(UInt64(0), as: .connectCall)
  }
}

/// The TCP connections of this machine's network that end, whosever they are; those of other networks are not among them.
package struct EndedConnections: ~Copyable {
  /// For poll(2).
  package let descriptor: Int32
  /// Whether the kernel has told us of all that ended since the beginning.
  package private(set) var isComplete = true

  package struct Connection: Hashable, Sendable {
    package let local: SocketAddress
    package let remote: SocketAddress
    /// Whether the other end had answered.
    package let wasConnected: Bool
  }

  package init() throws(SystemCallError) {
    descriptor = try SystemCalls.watchEndedSockets()
  }

  deinit { SystemCalls.discard(descriptor) }

  /// Takes what has been told so far; does not wait.
  package mutating func forEach(_ body: (Connection) -> Void) {
    while true {
      do throws(SystemCallError) {
        guard let ended = try SystemCalls.nextEndedSocket(on: descriptor) else { return }
        body(
          Connection(
            local: SocketAddress(ended.local), remote: SocketAddress(ended.remote).reached, wasConnected: ended.was_connected))
      } catch {
        isComplete = false
        // The kernel had no room for some, and goes on.
        guard error.code == ErrorCode.noBuffers else { return }
      }
    }
  }
}

extension RunningProcess {
  /// The process that a thread belongs to.
  init?(thread: Int32) {
    guard let status = ProcFile.read("/proc/\(thread)/status", limit: 4_096) else { return nil }
    let line = status.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: "Tgid:".utf8) }
    guard let id = line.flatMap({ Int32(decimal: $0.dropFirst(5).drop { $0 == UInt8(ascii: "\t") }) }) else { return nil }
    self.init(id: id)
  }
}
