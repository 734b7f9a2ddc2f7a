internal import TapelineCore
internal import TapelineHTTP
internal import TapelineHTTP2
internal import TapelineLoop
internal import TapelineTime
internal import TapelineTransport

/// The client's end of one exchange or tunnel: takes messages, writes them in the client's version of HTTP, and knows what they
/// mean for the client's connection. Loop-bound.
///
/// In HTTP/1 a `ClientConnection` is the client's end of its only exchange. In versions with streams, each stream has its own
/// client's end: an exchange must not assume that it has the connection to itself.
protocol ClientExchange: StreamClient {
  // MARK: The response

  /// Tells a client that waits for it to send its body (RFC 9110 10.1.1).
  func sendContinue()
  /// Sends an interim response, if the client's version has such responses.
  func sendInformational(_ head: ResponseHead, to request: OutgoingRequest)
  /// Sends the final head of the origin's response. Answers how it was forwarded.
  ///
  /// - Parameters:
  ///   - received: the framing of the content as the origin sends it; `nil` when it is not known.
  ///   - http2: the head as it came, if the origin speaks HTTP/2.
  ///   - originPersists: whether the origin's connection can carry another exchange.
  ///   - instant: when the head was complete.
  func sendHead(
    _ head: ResponseHead, http2: HTTP2ResponseHead?, to request: OutgoingRequest, content received: BodyFraming?,
    originPersists: Bool, at instant: MonotonicInstant
  ) -> ResponseForwarding
  /// Sends a piece of the content, after a head that announced content.
  func sendBody(_ bytes: Span<UInt8>) -> Demand
  /// The response is complete.
  ///
  /// - Parameters:
  ///   - trailers: sent if the client's framing has room for them.
  ///   - removed: the names of the lines in `trailers` that go no further than one hop.
  func endResponse(trailers: HeaderFields?, without removed: HopByHopFields?)
  /// Sends an answer of our own to a client that was told nothing yet.
  func answer(_ reply: LocalReply, to head: RequestHead?)
  /// The origin has ended its stream with this code. Ends the client's in the same way, if its version has streams. Answers
  /// whether it has.
  func passOn(reset code: HTTP2ErrorCode) -> Bool
  /// The response, or the stream after a 101, ends here, incomplete: makes sure that the client cannot take it for the whole.
  ///
  /// - Parameter ending: how the server's connection has ended.
  func breakOff(as ending: PassedFailure.Ending)
  /// The origin has ended its connection without taking all of the request, and the client has the whole response: a connection
  /// that has no other streams ends alike.
  func end(as ending: PassedFailure.Ending)

  /// The tunnel that the request came through, where we act as the origin.
  var tunnel: InterceptedTunnel? { get }

  // MARK: After a 101, or a 2xx to an extended CONNECT (RFC 8441 5)

  /// Sends the 101 that the client asked for, or the 200 to its extended CONNECT. Answers how it was forwarded.
  ///
  /// - Parameter http2: the head as it came, if the origin speaks HTTP/2.
  func switchProtocols(_ head: ResponseHead, http2: HTTP2ResponseHead?, to request: OutgoingRequest) -> ResponseForwarding
  /// The exchange goes on as a stream of bytes. Gives it the bytes that the client has sent already.
  func exchangeDidUpgrade()
}

/// The client's end of a stream of bytes: of a tunnel, or of an exchange after a 101. Loop-bound.
protocol StreamClient: AnyObject {
  func relay(_ bytes: Span<UInt8>) -> Demand
  /// The channel to which bytes may go past the program, as they are; `nil` where they must be framed or encrypted.
  var outlet: Channel? { get }
  func endRelay()

  // MARK: The client's bytes

  /// The exchange cannot take more of the client's body or stream for now.
  func pauseReading()
  func resumeReading()

  // MARK: Facts

  /// Bytes of the exchange that the client's kernel has not taken yet.
  var bufferedBytes: Int { get }
  func tcpHistory(since start: TCPSample, at now: MonotonicInstant) -> TCPHistory?
  /// The figures of the connection, as the beginning of a history.
  func beginTCPHistory(at now: MonotonicInstant) -> TCPSample
  /// The client's part of `HTTP2Details`; `nil` for a client that speaks HTTP/1.
  var http2: ClientStreamDetails? { get }
  /// Changes what the exchange counts as from now on.
  func engage(_ engagement: Engagement, at instant: MonotonicInstant?)

  /// There will be no answer: the client's connection ends as the server's did, or its stream, where others go on.
  func passOn(_ failure: PassedFailure)
  /// The exchange is over and recorded.
  func exchangeDidEnd()
}

extension StreamClient {
  /// For a client that shares its connection, or has none yet.
  var outlet: Channel? { nil }

  /// The room that bytes that went past the program leave.
  var outletDemand: Demand { outlet?.isAboveHighWater == true ? .pause : .more }
}

/// The facts of a client's HTTP/2 stream.
struct ClientStreamDetails {
  let id: HTTP2StreamID
  /// `nil` if the request was not read.
  let request: HTTP2HeaderList?
  var priorityUpdate: String?
  var reset: StreamMetrics.Reset?
}

extension ExchangeRecord {
  /// Adds what is known of the client's stream.
  mutating func note(_ client: ClientStreamDetails) {
    http2 = HTTP2Details(
      clientStream: client.id, stream: http2?.stream, request: client.request, response: http2?.response,
      priorityUpdate: client.priorityUpdate, clientReset: client.reset)
  }
}

/// The client's end of a tunnel.
protocol TunnelClient: StreamClient {
  /// The origin is reached. Answers whether the client is there to be told; if it is not yet, the tunnel waits for it.
  func originWasReached() -> Bool
  /// The connection whose bytes may be read instead of relayed; `nil` where the tunnel shares it with others.
  var interceptable: ClientOpening? { get }
  /// The tunnel is open: tells the client. Answers what the client has sent since it asked for it.
  func tunnelDidOpen() -> [UInt8]
  /// There is no tunnel: tells the client that asked for it.
  func tunnelDidFail(_ error: TransportError, head: RequestHead?)
  /// Waits at most this long for the client's next sign of life.
  func wait(_ limit: Duration?)
  /// Gives the client up.
  func lose(because departure: Departure)
}

/// Why a client's connection, or its stream, ends before its current work is done.
enum Departure {
  /// The client has ended it, as it may.
  case left
  /// The client has reset the stream.
  case reset(HTTP2ErrorCode)
  /// We end it.
  case gaveUp(ExchangeRecord.Failure)

  /// The failure to record where the client had no right to leave: inside its own message, or in a handshake.
  func failure(in phase: ExchangeRecord.Phase) -> ExchangeRecord.Failure {
    switch self {
    case .left: .clientGone(in: phase)
    case .reset(let code): .clientReset(code, in: phase)
    case .gaveUp(let failure): failure
    }
  }
}
