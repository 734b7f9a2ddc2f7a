internal import TapelineLoop
internal import TapelineTime
internal import TapelineTransport

/// How a client's connection ends, while it opens and while it carries HTTP/1. Loop-bound.
protocol ClientConnectionEnding: ShardConnection {
  var client: Client { get }
  var link: Link { get }
  /// When the first byte came of a request or a greeting that is incomplete.
  var began: MonotonicInstant? { get }
  /// The client is gone, or we give it up.
  func lose(because departure: Departure)
  /// The link is closed, or closes by itself.
  func didClose()
}

extension ClientConnectionEnding {
  /// Sends what is queued, then ends the connection without cutting off our own last bytes.
  func end(clientMaySend: Bool = true) {
    if client.omitsCloseNotify { link.omitCloseNotify() }
    link.closeAfterFlush(peerMaySend: clientMaySend)
    didClose()
  }

  func close() {
    if client.omitsCloseNotify { link.omitCloseNotify() }
    link.close()
    didClose()
  }

  /// The client will send no more, and a client that wants its answer keeps its side open.
  func hangUp(at instant: MonotonicInstant, alert: String? = nil) {
    if began == nil { client.tunnel?.suspectRefusal(at: instant, alert: alert) }
    lose(because: .left)
  }

  /// The link has failed.
  func hangUp(because error: TransportError) {
    switch error.kind {
    case .alert(let name): hangUp(at: .now, alert: name)
    // A client that hangs up before it has read everything, such as our session tickets, resets the connection.
    case .reset: hangUp(at: .now)
    default: lose(because: .left)
    }
  }
}
