public import TapelineTransport

/// Carries a raw stream both ways once its connection stands: what a CONNECT tunnel is made of.
open class StreamTaskDelegate: TaskDelegate, @unchecked Sendable {
  /// Whether the connection stands.
  public private(set) var isOpen = false

  open override func taskDidOpenStream() {
    isOpen = true
  }

  /// Sends bytes; `pause` when enough is queued (`taskCanSendMore` follows). On the loop.
  public final func send(_ bytes: Span<UInt8>) -> Demand {
    task?.send(bytes) ?? .more
  }

  /// Ends our direction after what is queued. On the loop.
  public final func finishSending() {
    task?.finishSending()
  }
}
