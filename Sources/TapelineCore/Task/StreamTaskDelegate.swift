public import TapelineTransport

/// Carries a raw stream both ways once its connection is open: the basis of a CONNECT tunnel.
open class StreamTaskDelegate: TaskDelegate, @unchecked Sendable {
  /// Whether the connection is open.
  public private(set) var isOpen = false

  open override func taskDidOpenStream() {
    isOpen = true
  }

  /// Sends bytes; `pause` when enough is queued (`taskCanSendMore` follows). On the loop.
  public final func send(_ bytes: Span<UInt8>) -> Demand {
    task?.send(bytes) ?? .more
  }

  /// Ends our direction after the queued bytes. On the loop.
  public final func finishSending() {
    task?.finishSending()
  }
}
