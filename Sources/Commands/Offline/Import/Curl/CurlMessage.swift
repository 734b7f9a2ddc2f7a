internal import TapelineCore
internal import TapelineHTTP
internal import TapelineBase

/// One direction of an exchange in curl's trace: the head, and the body as it was on the wire.
///
/// Curl writes the heads of HTTP/2 as if they were those of HTTP/1.1, and their content without frames.
final class CurlMessage {
  private(set) var request: RequestHead?
  private(set) var response: ResponseHead?
  private(set) var informational: [ResponseHead] = []
  private(set) var trailers: HeaderFields?
  private(set) var body: BodyCapture
  private(set) var isHTTP2 = false
  /// Whether the message is complete by its own framing.
  private(set) var isComplete = false
  /// Whether data passed that the trace does not show.
  private(set) var hasUnseenData = false
  /// Why the message could not be read to its end.
  private(set) var error: HTTPParseError?

  private var connection: HTTP1Connection
  /// Whether the last line of a head has not come.
  private var isInHead = false
  private var isInBody: Bool { request != nil || response != nil }

  init(request bodyLimit: Int) {
    body = BodyCapture(limit: bodyLimit)
    connection = HTTP1Connection(role: .server)
  }

  /// - Parameter method: of the request that the message answers.
  init(responseTo method: HTTPMethod, bodyLimit: Int) {
    body = BodyCapture(limit: bodyLimit)
    connection = HTTP1Connection(role: .client)
    connection.expectResponse(to: method)
  }

  /// Takes a part of the head. What comes after the body are trailers, which are also in the data if it is chunked.
  func takeHead(_ bytes: [UInt8]) {
    guard !isInBody else { return }
    // Curl 7 leaves out the empty line after an interim response.
    if isInHead, bytes.starts(with: "HTTP/".utf8) { take([Byte.carriageReturn, Byte.lineFeed]) }
    take(isInHead ? bytes : http1(bytes))
    isInHead = bytes != [Byte.carriageReturn, Byte.lineFeed]
  }

  func take(_ data: CurlData) {
    switch data {
    case .unseen: hasUnseenData = true
    case .bytes(let bytes):
      if isHTTP2 { body.append(bytes.span) } else { take(bytes) }
    }
  }

  /// The connection, or the stream, has ended the message.
  func end() {
    guard !isComplete, error == nil, isInBody else { return }
    if isHTTP2 {
      isComplete = true
      return
    }
    do throws(HTTPParseError) {
      if case .end? = try connection.receiveEnd() { isComplete = true }
    } catch {
      self.error = error
    }
  }

  /// The size of the body if the head tells it: `nil` for one that its chunks, its stream or its connection ends.
  var announcedSize: UInt64? {
    switch connection.framing {
    case .none: isHTTP2 && request != nil && hasUnseenData ? nil : 0
    case .length(let size): size
    case .chunked, .untilClose: nil
    }
  }

  /// Counts the body of a trace that does not show it.
  func countUnseen() {
    if let size = announcedSize { body.count(size) }
  }

  private func take(_ bytes: [UInt8]) {
    var offset = 0
    do throws(HTTPParseError) {
      while error == nil, let event = try connection.receive(bytes.span, from: &offset) {
        switch event {
        case .requestHead(let head): request = try named(head)
        case .responseHead(let head): response = named(head)
        case .informational(let head): informational.append(named(head))
        case .body(let range): body.append(bytes.span.extracting(range))
        case .trailers(let fields): trailers = fields
        case .end:
          // A request of HTTP/2 without a length ends with its stream.
          isComplete = !(isHTTP2 && request != nil)
          return
        }
      }
    } catch {
      self.error = error
    }
  }

  // MARK: HTTP/2

  /// The first line with the version that our reader knows.
  private func http1(_ bytes: [UInt8]) -> [UInt8] {
    if bytes.starts(with: "HTTP/2 ".utf8) {
      isHTTP2 = true
      return Array("HTTP/1.1 ".utf8) + bytes.dropFirst("HTTP/2 ".utf8.count)
    }
    let version = Array(" HTTP/2\r\n".utf8)
    guard let end = bytes.firstIndex(of: Byte.lineFeed), bytes[...end].suffix(version.count).elementsEqual(version) else {
      return bytes
    }
    isHTTP2 = true
    return bytes[...(end - version.count)] + Array(" HTTP/1.1\r\n".utf8) + bytes[(end + 1)...]
  }

  private func named(_ head: RequestHead) throws(HTTPParseError) -> RequestHead {
    guard isHTTP2 else { return head }
    return try RequestHead(
      method: head.method, target: Array(head.targetText.utf8), version: .http2, fields: head.fields, size: 0)
  }

  private func named(_ head: ResponseHead) -> ResponseHead {
    guard isHTTP2 else { return head }
    return ResponseHead(http2: head.status, checked: head.fields, size: 0)
  }
}
