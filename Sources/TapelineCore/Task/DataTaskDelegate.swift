public import TapelineTransport

/// Keeps the response and its body in memory.
open class DataTaskDelegate: TaskDelegate, @unchecked Sendable {
  public private(set) var response: HTTPURLResponse?
  /// The body so far; `nil` before the first octet.
  package private(set) var body: [UInt8]?

  open override func taskDidReceive(_ response: HTTPURLResponse) -> ResponseDisposition {
    self.response = response
    return .proceed
  }

  open override func taskDidReceive(_ bytes: Span<UInt8>) -> Demand {
    var kept = body ?? []
    body = nil
    unsafe bytes.withUnsafeBufferPointer { unsafe kept.append(contentsOf: $0) }
    body = kept
    return .more
  }
}
