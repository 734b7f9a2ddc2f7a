internal import TapelineCore
internal import TapelineBase
internal import TapelineTime

extension PacketConnection {
  /// The facts of a connection, besides what passes on it.
  struct Facts {
    let id: UInt64
    let client: ExchangeRecord.Peer
    let serverAddress: String
    let serverPort: UInt16
    /// The SYN, and the client's acknowledgement that completes the connection (RFC 9293 3.5).
    private(set) var opened: MonotonicInstant?
    private var answered = false
    private(set) var established: MonotonicInstant?
    /// From the ClientHello to the last Finished.
    private(set) var hello: (start: MonotonicInstant?, end: MonotonicInstant?)
    private(set) var serverName: String?
    private var details = TLSDetails.Facts()
    var isSecure = false
    var lookup: PacketLookup?

    init(id: UInt64, clientAddress: String, clientPort: UInt16, serverAddress: String, serverPort: UInt16) {
      self.id = id
      self.serverAddress = serverAddress
      self.serverPort = serverPort
      client = ExchangeRecord.Peer(connectionID: id, address: clientAddress, port: clientPort, isReused: false)
    }

    /// Whether the making of the connection is in the capture.
    var sawHandshake: Bool { opened != nil && established != nil }

    var serverAuthority: String { Authority.text(host: serverAddress, port: serverPort) }

    /// `nil` without TLS.
    var tls: TLSDetails? {
      guard isSecure else { return nil }
      var tls = TLSDetails()
      tls.facts = details
      return tls
    }

    func server(isReused: Bool) -> ExchangeRecord.Peer {
      ExchangeRecord.Peer(connectionID: id, address: serverAddress, port: serverPort, isReused: isReused)
    }

    mutating func note(_ row: PacketRow, _ flags: SegmentFlags, fromClient: Bool) {
      if flags.contains(.synchronize) {
        // A repeated SYN is a part of connecting.
        if fromClient, opened == nil { opened = row.time }
        if !fromClient { answered = true }
      } else if fromClient, answered, established == nil, flags.contains(.acknowledge) {
        established = row.time
      }
      guard row.has(.handshake) else { return }
      let types = row.texts(.handshake)
      if types.contains("1"), fromClient {
        hello.start = hello.start ?? row.time
        serverName = serverName ?? row.texts(.serverName).first
        details.serverName = serverName
        details.offeredProtocols = row.texts(.protocols)
      }
      if types.contains("20") { hello.end = row.time }
      guard !fromClient else { return }
      if types.contains("2") {
        details.version = row.texts(.version).first == "0x0304" ? "TLSv1.3" : "TLSv1.2"
      }
      if let name = row.texts(.protocols).first { details.applicationProtocol = name }
    }

    /// How long after an answer of DNS a connection may begin, so that the lookup is a phase of the exchange: the delay of Happy
    /// Eyeballs (RFC 8305 5).
    private static let lookupDelay: Int64 = 250_000_000

    /// Writes the marks of the connection's making, and returns when the exchange that paid for it began.
    func stamp(into marks: inout TimelineMarks) -> MonotonicInstant {
      let sent = marks[.sentFirst] ?? MonotonicInstant(nanoseconds: 0)
      guard let opened, let established else { return sent }
      var start = opened
      if let lookup, opened.nanoseconds(since: lookup.answered) <= Self.lookupDelay {
        marks.stamp(.dnsStart, at: lookup.asked)
        marks.stamp(.dnsEnd, at: lookup.answered)
        start = lookup.asked
      }
      marks.stamp(.connectStart, at: opened)
      marks.stamp(.connectEnd, at: established)
      if let begun = hello.start, let ended = hello.end {
        marks.stamp(.tlsStart, at: begun)
        marks.stamp(.tlsEnd, at: min(ended, sent))
      }
      marks.stamp(.tunnelHeadEnd, at: start)
      return start
    }
  }
}
