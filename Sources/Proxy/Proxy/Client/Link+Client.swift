internal import TapelineHTTP
internal import TapelineTransport

/// Our own words on a client's connection in HTTP/1.
extension Link {
  func send(_ reply: LocalReply, to version: HTTPVersion, persists: Bool, hasBody: Bool, date: String) {
    withOutput {
      HeadSerializer.append(reply, to: version, persists: persists, hasBody: hasBody, date: date, into: &$0)
    }
  }

  /// There will be no answer. Returns whether that has ended the connection; if not, it ends where the server's did in order.
  func passOn(_ failure: PassedFailure) -> Bool {
    write(failure.head)
    switch (failure.meaning, failure.ending) {
    case (.endOfNewConnection, _) where failure.head.isEmpty:
      // To the client, its connection is a kept one. Once an answer has begun, it does not send the request again.
      withOutput { HeadSerializer.appendStatusLine(status: 502, into: &$0) }
      resetAfterFlush()
      return true
    case (_, .reset):
      resetAfterFlush()
      return true
    case (_, .end):
      return false
    }
  }
}
