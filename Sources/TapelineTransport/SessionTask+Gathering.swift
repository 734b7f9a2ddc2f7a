internal import TapelineHTTP

/// A body of unknown length, for a server that may not understand chunks (RFC 9112 6.1).
extension SessionTask {
  enum Gathering {
    /// The request has a length now, unless it has trailers, which only chunks can carry.
    case whole
    /// The source has no more for now.
    case unfinished
    case tooLong
  }

  /// Whether the transport waits for the whole body before it sends anything.
  package var isGatheringBody: Bool { gathered.isAwaited && !gathered.isWhole }

  /// Asks the source for the body, as far as it is there and not beyond `limit`.
  ///
  /// - Parameter keepsTrailers: whether the request stays chunked for the trailers' sake.
  func gatherBody(atMost limit: Int, keepsTrailers: Bool) -> Gathering {
    while true {
      switch sourceChunk(limit: 64 * 1024) {
      case .bytes(let chunk):
        gathered.append(chunk)
        if gathered.count > limit { return .tooLong }
      case .later:
        return .unfinished
      case .end:
        gathered.end()
        if !keepsTrailers || trailers == nil { promiseLength() }
        return .whole
      }
    }
  }

  private func promiseLength() {
    guard case .exchange(let request) = work else { preconditionFailure("only an exchange has a body") }
    work = .exchange(request.framed(by: .length(UInt64(gathered.count))))
  }
}
