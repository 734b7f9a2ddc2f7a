internal import TapelineHTTP
internal import TapelineTime

/// The state of one stream: how far the peer's message is, by the rules of RFC 9113 8.1, and what our side owes its windows.
struct HTTP2Stream: Sendable {
  typealias Malformation = HTTP2Violation.Malformation

  /// The part of its message that the peer still has to send.
  private enum Receiving: Sendable {
    /// A head, after interim heads of so many bytes.
    case head(interim: Int)
    /// Content of a length that the head may have given.
    case content(received: UInt64, expected: UInt64?)
    /// The end of the stream alone: the message has no content.
    case noContent
    case ended
    /// The rest of a request whose head was beyond our limits: it is answered, and not read.
    case unread
    /// Nothing that anybody wants: the stream was refused or reset.
    case discarding
  }

  /// How the method of our request bears on the content of its response (RFC 9110 6.4.1). The method itself may hold a text:
  /// each copy of a stream would count its references.
  private enum Answering: Sendable {
    /// A server's stream: no response comes.
    case none
    case connect, head, other
  }

  private var receiving: Receiving
  private let answering: Answering
  let opened: MonotonicInstant
  /// Bytes of content that were delivered and not consumed.
  var unconsumed = 0
  /// The peer has ended its side, or reset the stream: it must send no more of a message.
  var peerIsDone = false
  /// Whether nghttp2 has closed the stream. It stays here until all its content is consumed.
  var isClosed = false

  /// A stream that the client has opened.
  init(openedAt instant: MonotonicInstant) {
    receiving = .head(interim: 0)
    answering = .none
    opened = instant
  }

  /// A stream that we have opened.
  init(request method: HTTPMethod) {
    receiving = .head(interim: 0)
    answering =
      switch method {
      case .connect: .connect
      case .head: .head
      default: .other
      }
    opened = MonotonicInstant(nanoseconds: 0)
  }

  var isDiscarding: Bool {
    switch receiving {
    case .discarding: true
    case .head, .content, .noContent, .ended, .unread: false
    }
  }

  /// Whether what comes is told.
  var isRead: Bool {
    switch receiving {
    case .unread, .discarding: false
    case .head, .content, .noContent, .ended: true
    }
  }

  /// Whether the next header block is a head; otherwise it is a trailer section.
  var expectsHead: Bool {
    switch receiving {
    case .head: true
    case .content, .noContent, .ended, .unread, .discarding: false
    }
  }

  mutating func stopReading() {
    receiving = .unread
  }

  mutating func discard() {
    receiving = .discarding
  }

  mutating func receive(_ head: HTTP2RequestHead) {
    // The content of CONNECT is the tunnel.
    receiving = .content(received: 0, expected: head.method == .connect ? nil : head.contentLength)
  }

  mutating func receive(_ head: HTTP2ResponseHead, endsStream: Bool, limits: HTTP2Limits) throws(Malformation) {
    guard case .head(let interim) = receiving else { preconditionFailure("a response comes where a head is expected") }
    if head.isInterim {
      if endsStream { throw .endBeforeHead }
      let size = interim + head.list.size + HTTPLimits.informationalOverhead
      guard size <= limits.interimResponses else { throw .tooManyInterimResponses }
      receiving = .head(interim: size)
    } else {
      receiving = content(of: head)
    }
  }

  private func content(of head: HTTP2ResponseHead) -> Receiving {
    switch answering {
    case .none: preconditionFailure("no response comes to a server")
    case .connect where HTTPStatus.isSuccessful(head.status): .content(received: 0, expected: nil)
    case .head: .noContent
    case .connect, .other:
      HTTPStatus.forbidsContent(head.status) ? .noContent : .content(received: 0, expected: head.contentLength)
    }
  }

  /// `count` bytes of content have come. Returns how many of them belong to the message, and why the rest does not.
  mutating func receiveContent(_ count: Int) -> (accepted: Int, fault: Malformation?) {
    switch receiving {
    case .content(let received, let expected):
      let accepted = expected.map { Int(min(UInt64(count), $0 - received)) } ?? count
      receiving = .content(received: received + UInt64(accepted), expected: expected)
      return (accepted, accepted < count ? .differentContentLength : nil)
    case .head: return (0, .dataBeforeHead)
    case .noContent: return (0, .forbiddenContent)
    case .ended, .unread, .discarding: preconditionFailure("content is delivered before the end of the stream")
    }
  }

  /// A trailer section has come. It ends the stream (RFC 9113 8.1).
  func checkTrailers(endsStream: Bool) throws(Malformation) {
    if !endsStream { throw .trailersWithoutEnd }
  }

  mutating func receiveEnd() throws(Malformation) {
    switch receiving {
    case .content(let received, let expected):
      if let expected, received != expected { throw .differentContentLength }
      receiving = .ended
      peerIsDone = true
    case .noContent:
      receiving = .ended
      peerIsDone = true
    case .head: throw .endBeforeHead
    case .ended, .unread, .discarding: preconditionFailure("a stream ends once")
    }
  }
}
