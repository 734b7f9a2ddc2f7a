/// Finds PRIORITY frames by which a stream depends on itself (RFC 7540 5.3.1), as a value. nghttp2 does not look at the frames
/// where the older priorities are switched off.
struct PriorityFrames: Sendable {
  /// RFC 9113 6.3. nghttp2 ends the connection for another length.
  private static let length = 5
  /// The size of the dependency, which comes first; its first bit has another meaning.
  private static let dependencySize = 4
  private static let largestStream: UInt32 = 0x7FFF_FFFF

  private var stream: HTTP2StreamID = 0
  private var dependency: UInt32 = 0
  /// Bytes of the dependency that are still to come; 0: no frame is looked at.
  private var missing = 0

  mutating func frameBegins(_ frame: HTTP2FrameHeader) {
    missing = frame.type == HTTP2FrameHeader.priority && frame.length == Self.length ? Self.dependencySize : 0
    stream = frame.stream
    dependency = 0
  }

  /// A part of the frame's payload came. Answers whether it completes a dependency of the stream on itself.
  mutating func payloadCame(_ bytes: Span<UInt8>) -> Bool {
    guard missing > 0 else { return false }
    for index in 0..<min(missing, bytes.count) {
      dependency = dependency << 8 | UInt32(bytes[index])
      missing -= 1
    }
    return missing == 0 && dependency & Self.largestStream == UInt32(stream)
  }
}
