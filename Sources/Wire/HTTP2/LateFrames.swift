/// Finds messages on streams where none can come any more, as a value. nghttp2 forgets a stream when it is over, and ignores what
/// comes after that (RFC 9113 5.1).
///
/// A client that has not heard of our reset yet may still send in good faith: those frames are not found.
struct LateFrames: Sendable {
  /// The last streams on which the client had sent all that it may, the oldest first.
  private var finished: [HTTP2StreamID] = []
  /// Numbers that the client has left out: these streams are closed as well (RFC 9113 5.1.1).
  private var skipped: [ClosedRange<HTTP2StreamID>] = []
  private var last: HTTP2StreamID = -1

  /// Entries of each list: a client's frames follow each other, so a late one belongs to one of the last streams.
  private static let limit = 128

  /// A frame begins. Answers its error; `nil` if it may come, or nobody can tell.
  ///
  /// - Parameter isOpen: whether nghttp2 knows the stream. A stream that it refuses was opened, too.
  mutating func frameBegins(_ frame: HTTP2FrameHeader, isOpen: Bool) -> HTTP2ErrorCode? {
    switch frame.type {
    case HTTP2FrameHeader.headers where frame.stream > last && frame.stream % 2 == 1:
      if frame.stream > last + 2 { Self.append(last + 2...frame.stream - 2, to: &skipped) }
      last = frame.stream
      return nil
    case HTTP2FrameHeader.data, HTTP2FrameHeader.headers:
      if isOpen { return nil }
      if finished.contains(frame.stream) { return .streamClosed }
      return skipped.contains { $0.contains(frame.stream) } ? .protocolError : nil
    default:
      return nil
    }
  }

  /// nghttp2 has forgotten the stream, whose client was done before.
  mutating func finish(_ stream: HTTP2StreamID) {
    Self.append(stream, to: &finished)
  }

  private static func append<Element>(_ element: Element, to list: inout [Element]) {
    if list.count == limit { list.removeFirst() }
    list.append(element)
  }
}
