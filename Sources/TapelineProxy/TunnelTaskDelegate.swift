internal import TapelineCore
internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineTime
internal import TapelineTransport

/// A CONNECT tunnel: octets both ways, unseen, with back-pressure and half-close in each direction (RFC 9110 9.3.6).
///
/// Safety: `@unchecked Sendable` is inherited; everything here is touched on the loop only.
final class TunnelTaskDelegate: StreamTaskDelegate, @unchecked Sendable {
  private let connection: ClientConnection
  private let shard: LoopShard
  private var record: ExchangeRecord
  /// Broken when the tunnel is recorded.
  private var request: Request?
  private var octetsToServer: UInt64 = 0
  private var octetsToClient: UInt64 = 0
  private var clientEnded = false

  init(connection: ClientConnection, shard: LoopShard, record: ExchangeRecord) {
    self.connection = connection
    self.shard = shard
    self.record = record
    super.init()
  }

  private var channel: Channel { connection.channel }

  func begin(to route: Route) {
    let request = shard.session.stream(to: route, with: self)
    self.request = request
    request.resume()
  }

  // MARK: From the client

  func receiveFromClient(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    stampInitialResponse(at: instant)
    octetsToServer += UInt64(bytes.count)
    if send(bytes) == .pause { channel.pauseReading() }
  }

  func clientDidEnd() {
    clientEnded = true
    finishSending()
  }

  func clientDidLeave(_ failure: ExchangeRecord.Failure) {
    if record.failure == nil { record.failure = failure }
    request?.cancel()
  }

  func clientCanTakeMore() {
    task?.resumeReceiving()
  }

  func didDeliver(at instant: MonotonicInstant) {
    record.marks.stamp(.deliveredFirst, at: instant)
    record.marks.move(.deliveredLast, to: instant)
  }

  // MARK: From the server

  override func taskDidOpenStream() {
    super.taskDidOpenStream()
    record.localStatus = 200
    channel.withOutput { $0.append(contentsOf: "HTTP/1.1 200 Connection established\r\n\r\n".utf8) }
    let early = connection.takeInput()
    if !early.isEmpty { receiveFromClient(early.span, at: .now) }
    channel.resumeReading()
  }

  override func taskDidReceive(_ bytes: Span<UInt8>) -> Demand {
    octetsToClient += UInt64(bytes.count)
    channel.write(bytes)
    return channel.isAboveHighWater ? .pause : .more
  }

  override func taskDidReceiveEnd() {
    channel.shutdownOutput()
  }

  override func taskCanSendMore() {
    if !clientEnded { channel.resumeReading() }
  }

  override func taskDidComplete() {
    guard let request else { return }
    self.request = nil
    let now = MonotonicInstant.now
    if let metrics { record.adopt(metrics) }
    if let error = (error as? TapelineError)?.transportError {
      if record.failure == nil { record.failure = ExchangeRecord.Failure(error) }
      if !isOpen {
        let reply = LocalReply(error)
        record.localStatus = reply.status
        connection.send(reply, version: record.request?.version ?? .http11, persist: false, hasBody: true)
      }
    }
    if record.failure != nil { record.marks.stamp(.failed, at: now) }
    record.kind = .tunnel(toServer: octetsToServer, toClient: octetsToClient)
    record.client.tcp = channel.recentTCPInfo(at: now).map { ExchangeRecord.TCPStatistics($0) }
    record.timeline = request.timeline(serializedAt: now)
    shard.record(record)
    connection.exchangeDidEnd(persist: false)
  }
}
