package import TapelineHTTP

/// The bounds on what an HTTP/2 peer can make tapeline hold or do, for clients and origins alike. Each has a default; none is
/// off.
package struct HTTP2Limits: Hashable, Sendable {
  /// How often something may happen: `burst` times at once, and then `perSecond` times a second.
  package struct Rate: Hashable, Sendable {
    package var burst: Int
    package var perSecond: Int

    package init(burst: Int, perSecond: Int) {
      self.burst = burst
      self.perSecond = perSecond
    }
  }

  /// Streams that a client may have open at the same time (RFC 9113 5.1.2).
  package var concurrentStreams = 100
  /// Bytes of a header list, counted as RFC 9113 6.5.2 does: names, values, and 32 for each line. A list beyond it ends its
  /// stream.
  package var headerList: Int
  /// Lines of a header list, pseudo-fields and each crumb of a cookie included.
  package var headerLines: Int
  /// CONTINUATION frames after one HEADERS frame; with that, they hold more than `headerBlock`.
  package var continuations: Int
  /// The rules that do not hold.
  package var tolerance: Tolerance
  /// Bytes of the header lists of the 1xx responses before the final response, counted as in HTTP/1.
  package var interimResponses: Int
  /// Bytes of a stream's content that we take before its reader has taken any.
  package var streamWindow = 256 * 1024
  /// Bytes of the dynamic table, in each direction (RFC 7541 4.2).
  package var headerTable = 4096
  /// Frames that wait to be sent, not counting content: a peer that makes us answer without reading the answers.
  package var queuedFrames = 2000
  /// Streams that end by an error or a reset.
  package var resets = Rate(burst: 1000, perSecond: 33)
  /// If half of so many streams were reset by the client within a second of their opening, the connection ends.
  package var youngStreams = 500
  package var settings = Rate(burst: 100, perSecond: 5)
  package var pings = Rate(burst: 1000, perSecond: 200)
  /// DATA frames without content that do not end their stream.
  package var emptyData = Rate(burst: 1000, perSecond: 100)
  /// WINDOW_UPDATE frames; each DATA frame that we send allows ten more.
  package var windowUpdates = Rate(burst: 10_000, perSecond: 100)
  /// PRIORITY and PRIORITY_UPDATE frames; each new stream allows ten more.
  package var priorities = Rate(burst: 1000, perSecond: 100)
  /// GOAWAY frames, and frames of unknown types.
  package var otherFrames = Rate(burst: 1000, perSecond: 100)

  /// The same bounds for heads as in HTTP/1.
  package init(_ limits: HTTPLimits = .standard) {
    headerList = limits.headerBlock
    headerLines = limits.fields
    interimResponses = limits.informationalResponses
    continuations = max(8, 2 * limits.headerBlock / HTTP2FrameHeader.largestLength)
    tolerance = limits.tolerance
  }

  /// Bytes of a compressed header block; one beyond it ends the connection. Compression hardly ever makes a list larger, so
  /// a peer that exceeds the limit of lists by little is told so on the stream.
  var headerBlock: Int { 2 * headerList }

  /// Bytes of content on all streams that we take before their readers have taken any: every stream can fill its own window, so a
  /// slow reader never holds up the streams beside it.
  package var connectionWindow: Int { concurrentStreams * streamWindow }
}
