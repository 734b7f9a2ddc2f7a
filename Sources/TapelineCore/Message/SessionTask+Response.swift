public import TapelineTransport

extension SessionTask {
  /// The head of the last response that came, be it one that is followed by another exchange; `nil` before any did. From any thread.
  public var response: HTTPURLResponse? {
    answer.map { HTTPURLResponse(head: $0.response, request: $0.request) }
  }
}
