package import CTapeline
internal import Glibc
internal import Synchronization

// Programs whose calls of connect(2) are told to us before the kernel makes them (seccomp_unotify(2)).

extension ProgramStart {
  /// A started program, and the descriptor that tells of its calls of connect(2) and of those of everything that it starts: they
  /// wait until we answer. The descriptor is the caller's; it must be read until `isHungUp`, or the calls fail when it is closed.
  package struct Watched: Sendable {
    package let child: ChildIdentifier
    /// Absent if the kernel tells us of no calls.
    package let calls: Int32?

    package init(child: ChildIdentifier, calls: Int32?) {
      self.child = child
      self.calls = calls
    }
  }

  /// Starts the program as `start` does, and watches its calls of connect(2) if the kernel permits it.
  ///
  /// A filter belongs to a thread and to what that thread starts. A thread of its own takes the filter on, starts the program and
  /// ends, so that no thread of ours has a filter.
  ///
  /// - Parameter renouncing: whether the program may lose the privileges that setuid programs have (no_new_privs), where the
  ///   kernel
  ///   demands that.
  package func startWatched(renouncing: Bool) throws(SystemCallError) -> Watched {
    let outcome = Outcome()
    let thread = try SystemThread(name: "tapeline-start", takesSignals: false) { [self] in
      let calls = Self.watchCalls(renouncing: renouncing)
      do throws(SystemCallError) {
        let child = try start()
        outcome.result.withLock { $0 = .success(Watched(child: child, calls: calls)) }
      } catch {
        if let calls { SystemCalls.discard(calls) }
        outcome.result.withLock { $0 = .failure(error) }
      }
    }
    thread.join()
    guard let result = outcome.result.withLock({ $0 }) else { preconditionFailure("the thread has started the program") }
    return try result.get()
  }

  private final class Outcome: Sendable {
    let result = Mutex<Result<Watched, SystemCallError>?>(nil)
  }

  private static func watchCalls(renouncing: Bool) -> Int32? {
    var calls = tapeline_watch_connects()
    if calls == -EACCES, renouncing, tapeline_renounce_privileges() == 0 { calls = tapeline_watch_connects() }
    return calls >= 0 ? calls : nil
  }
}

extension SystemCalls {
  /// Takes the next call; waits for one.
  ///
  /// - Returns: `nil` if the caller has ended meanwhile.
  package static func nextConnectCall(on descriptor: Int32) throws(SystemCallError) -> tapeline_connect_call? {
    var call = tapeline_connect_call()
    do throws(SystemCallError) {
      _ = try retrying(.control) { unsafe tapeline_receive_connect(descriptor, &call) }
      return call
    } catch {
      guard error.code == ErrorCode.notFound else { throw error }
      return nil
    }
  }

  /// Lets the kernel make the call as it was. A caller that has ended meanwhile needs no answer.
  package static func permit(_ call: tapeline_connect_call, on descriptor: Int32) {
    _ = tapeline_answer_connect(descriptor, call.id)
  }

  /// The address that a call is about; `nil` if it is none of the internet, or if we may not read the caller's memory.
  package static func destination(of call: tapeline_connect_call) -> tapeline_address? {
    var (call, address) = (call, tapeline_address())
    return unsafe tapeline_connect_destination(&call, &address) == 0 ? address : nil
  }

  /// Whether a call is about a TCP socket.
  package static func isTCP(_ call: tapeline_connect_call) -> Bool {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { name in
      let length = unsafe tapeline_socket_protocol(
        "/proc/\(call.thread)/fd/\(call.socket)", name.baseAddress, name.count)
      guard length > 0 else { return false }
      let text = unsafe String(decoding: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(name)[..<length]), as: UTF8.self)
      return text.hasPrefix("TCP") || text.hasPrefix("MPTCP")
    }
  }

  /// A descriptor that tells of the TCP sockets of this network that end from now on, whosever they are. Non-blocking.
  package static func watchEndedSockets() throws(SystemCallError) -> Int32 {
    try retrying(.netlink) { tapeline_ended_sockets() }
  }

  /// - Returns: `nil` if nothing waits.
  /// - Throws: if the kernel had no room, so that sockets are missing.
  package static func nextEndedSocket(on descriptor: Int32) throws(SystemCallError) -> tapeline_ended_socket? {
    var ended = tapeline_ended_socket()
    do throws(SystemCallError) {
      _ = try retrying(.netlink) { unsafe tapeline_receive_ended(descriptor, &ended) }
      return ended
    } catch {
      guard error.code == EAGAIN else { throw error }
      return nil
    }
  }
}
