internal import CTapeline
internal import Glibc

/// A descriptor to wait for, and whether it is ready.
package struct PollRequest: Sendable {
  package enum Event: Sendable {
    /// There are bytes, a connection, or the end.
    case readable
    case writable
  }

  /// Negative: never ready.
  package let descriptor: Int32
  package let event: Event
  /// From the last `poll`: the event has occurred, or the descriptor has ended.
  package fileprivate(set) var isReady = false
  /// The other end is permanently closed.
  package fileprivate(set) var isHungUp = false

  package init(_ event: Event, on descriptor: Int32) {
    self.descriptor = descriptor
    self.event = event
  }
}

extension SystemCalls {
  /// Waits until one of the descriptors is ready, a signal arrives, or the time is up.
  ///
  /// - Parameter milliseconds: without limit if `nil`.
  /// - Returns: whether any is ready.
  @discardableResult
  package static func poll(_ requests: inout [PollRequest], milliseconds: Int32?) -> Bool {
    var entries = requests.map { request in
      pollfd(fd: request.descriptor, events: Int16(request.event == .readable ? POLLIN : POLLOUT), revents: 0)
    }
    let count = unsafe tapeline_poll(&entries, UInt(entries.count), milliseconds ?? -1)
    for index in requests.indices {
      let found = count > 0 ? entries[index].revents : 0
      requests[index].isReady = found != 0
      requests[index].isHungUp = Int32(found) & POLLHUP != 0
    }
    return count > 0
  }

  /// Waits for one descriptor; continues after a signal.
  ///
  /// - Parameter milliseconds: without limit if `nil`.
  /// - Returns: `false` if the time is up.
  package static func wait(
    for event: PollRequest.Event, on descriptor: Int32, milliseconds: Int32?
  ) throws(SystemCallError) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(event == .readable ? POLLIN : POLLOUT), revents: 0)
    return try retrying(.poll) { unsafe tapeline_poll(&entry, 1, milliseconds ?? -1) } > 0
  }

  /// Both ends of a pipe, for the caller to close.
  package static func makePipe(isNonBlocking: Bool) throws(SystemCallError) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    _ = try retrying(.pipe) { unsafe tapeline_pipe(&ends, isNonBlocking) }
    return (ends[0], ends[1])
  }

  /// A counter with which threads wake others: readable from the first `ring` on. Non-blocking.
  package static func makeBell() throws(SystemCallError) -> Int32 {
    try retrying(.eventfd) { tapeline_eventfd() }
  }

  package static func ring(_ bell: Int32) throws(SystemCallError) {
    var one: UInt64 = 1
    // A full counter has already rung.
    _ = try unsafe withUnsafeBytes(of: &one) { bytes throws(SystemCallError) in try unsafe write(bell, from: bytes) }
  }

  /// Clears the counter.
  package static func silence(_ bell: Int32) throws(SystemCallError) {
    var count: UInt64 = 0
    _ = try unsafe withUnsafeMutableBytes(of: &count) { bytes throws(SystemCallError) in try unsafe read(bell, into: bytes) }
  }
}
