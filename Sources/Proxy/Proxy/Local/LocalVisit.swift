internal import TapelineCore
internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineSystem
internal import TapelineBase
internal import TapelineTime

/// A request for the live page, for its data, or to attach Chrome's panel, with the connection on which it came. Its owner writes
/// the answer to `descriptor`, after `waiting`, and the connection is the owner's after that. Owns the descriptor.
///
/// The client has asked for this machine, was not sent by another site, and may see the page (`LocalAudience`).
package final class LocalVisit: Sendable {
  /// The path of the page; its data are below.
  package static let root = "/live"
  /// The path to which Chrome's panel attaches.
  package static let devTools = "/devtools"
  /// The field in which the page gives its key, by which it shows that it is ours.
  package static let tokenField = "X-Tapeline-Token"

  /// Non-blocking.
  package let descriptor: Int32
  /// Bytes of earlier answers, which go first.
  package let waiting: [UInt8]
  package let path: String
  package let query: String
  /// In the case in which it came.
  package let method: String
  package let lastEventID: String?
  package let token: String?
  package let takesGzip: Bool
  /// The key of a WebSocket handshake (RFC 6455 4.2.2); `nil` if the request is none.
  private let webSocketKey: String?

  init(_ head: RequestHead, on socket: consuming HandedOverSocket) {
    path = LocalPages.path(of: head)
    query = LocalPages.query(of: head)
    method = head.method.rawValue
    lastEventID = head.fields.values(named: "Last-Event-ID").first
    token = head.fields.values(named: Self.tokenField).first
    takesGzip = head.fields.listContains(token: "gzip", in: .acceptEncoding)
    webSocketKey = head.asksForWebSocket ? head.fields.first(of: .secWebSocketKey) : nil
    waiting = socket.waiting
    descriptor = socket.release()
  }

  deinit {
    SystemCalls.discard(descriptor)
  }

  /// Whether this is a visit: `path` is that of the page, of its data, or of the panel.
  static func isVisited(_ path: String) -> Bool {
    path == root || path.hasPrefix("\(root)/") || path == devTools
  }

  // MARK: Answers

  /// A line for a person.
  package func answer(_ status: Int, _ text: String, allow: String? = nil) -> [UInt8] {
    var reply = LocalReply(status: status, text: "tapeline: \(text)", proxyError: nil)
    if let allow { reply.fields.append(("Allow", allow)) }
    return bytes(of: reply)
  }

  /// - Parameters:
  ///   - policy: the page's own policy (CSP 3).
  ///   - isGzip: whether `body` is compressed.
  package func answer(
    page body: [UInt8], mediaType: String, policy: String = "default-src 'none';", isGzip: Bool = false
  ) -> [UInt8] {
    var reply = LocalReply(page: body, mediaType: mediaType, policy: policy)
    if isGzip { reply.fields.append(("Content-Encoding", "gzip")) }
    return bytes(of: reply)
  }

  /// The head of an answer that ends with the connection.
  package func beginAnswer(mediaType: String) -> [UInt8] {
    var output: [UInt8] = []
    let reply = LocalReply(page: [], mediaType: mediaType)
    HeadSerializer.append(
      reply, to: .http11, persists: false, hasBody: false, date: date, isEndless: true, into: &output)
    return output
  }

  /// The head after which the connection carries WebSocket frames; `nil` if the request is no handshake (RFC 6455 4.2).
  package var webSocketAnswer: [UInt8]? {
    guard let webSocketKey else { return nil }
    let accept = WebSocketHandshake.answer(to: webSocketKey)
    return Array(
      """
      HTTP/1.1 101 Switching Protocols\r
      Connection: Upgrade\r
      Upgrade: websocket\r
      Sec-WebSocket-Accept: \(accept)\r
      \r

      """.utf8)
  }

  private func bytes(of reply: LocalReply) -> [UInt8] {
    var output: [UInt8] = []
    HeadSerializer.append(
      reply, to: .http11, persists: false, hasBody: method != "HEAD", date: date, into: &output)
    return output
  }

  private var date: String {
    CivilDate(unixSeconds: WallClockAnchor.process.unixNanoseconds / 1_000_000_000).imfFixdate
  }
}

extension RequestHead {
  /// RFC 6455 4.2.1, in the only version that there is.
  fileprivate var asksForWebSocket: Bool {
    method == .get && fields.listContains(token: "websocket", in: .upgrade)
      && fields.listContains(token: "upgrade", in: .connection)
      && fields.values(named: "Sec-WebSocket-Version").elementsEqual(["13"])
  }
}
