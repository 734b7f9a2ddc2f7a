internal import TapelineCore
internal import TapelineHTTP
internal import TapelineBase
internal import TapelineTime

/// One TCP connection in a capture: its segments in order, its TLS, and the conversation in it.
final class PacketConnection {
  private enum Content {
    /// The client's first bytes have not come.
    case unknown
    case http1(HTTP1Conversation)
    case http2(HTTP2Conversation)
    /// Something else, or a part of a connection whose beginning is not in the capture.
    case other
  }

  private(set) var facts: Facts
  private let bodyLimit: Int
  private var content = Content.unknown
  private var toServer = SegmentOrder()
  private var toClient = SegmentOrder()
  /// The client's first bytes, and the server's bytes before it is known what they are.
  private var beginning: [UInt8] = []
  private var beginningTime: MonotonicInstant?
  private var early: [(bytes: [UInt8], time: MonotonicInstant)] = []
  private var earlyCount = 0
  private var hasDecrypted = false
  /// Whether encrypted data passed.
  private var hasRecords = false
  private var endings = 0
  private(set) var isOver = false
  private var complete: [PacketExchange] = []

  private static let prefaceSize = 24
  private static let earlyLimit = 1 << 20

  init(_ facts: Facts, bodyLimit: Int) {
    self.facts = facts
    self.bodyLimit = bodyLimit
  }

  /// Whether nothing of its TLS could be decrypted.
  var isUnreadable: Bool { hasRecords && !hasDecrypted && facts.hello.end == nil }

  /// The exchanges that became complete since the last call.
  func takeComplete() -> [PacketExchange] {
    defer { complete = [] }
    return complete
  }

  // MARK: Packets

  func take(_ row: PacketRow, _ flags: SegmentFlags, fromClient: Bool) {
    facts.note(row, flags, fromClient: fromClient)
    let sequence = UInt32(truncatingIfNeeded: row.number(.sequence) ?? 0)
    if flags.contains(.synchronize) {
      if fromClient { toServer.begin(at: sequence) } else { toClient.begin(at: sequence) }
    }
    let segment = row.has(.payload) ? row.bytes(.payload) : []
    let ready = fromClient ? toServer.take(segment, at: sequence) : toClient.take(segment, at: sequence)
    if facts.isSecure {
      // A record of application data (RFC 8446 5.1).
      if ready.first == 0x17 { hasRecords = true }
      let data = row.bytes(.data)
      if !data.isEmpty {
        hasDecrypted = true
        read(data, fromClient: fromClient, at: row.time)
      }
    } else if !ready.isEmpty {
      read(ready, fromClient: fromClient, at: row.time)
    }
    if toServer.hasGap || toClient.hasGap { return end(.missingPackets, at: row.time) }
    if flags.contains(.reset) {
      end(.reset(byClient: fromClient), at: row.time)
    } else if flags.contains(.end) {
      endings += 1
      // The server may still answer a client that has ended its own direction. A client may still send to a server that has.
      if endings > 1 {
        end(.closed(byClient: false), at: row.time)
      } else if !fromClient {
        endContent(.closed(byClient: false), at: row.time)
      }
    }
  }

  /// No more packets come.
  func end(_ reason: PacketFailure, at now: MonotonicInstant) {
    guard !isOver else { return }
    isOver = true
    toServer.end()
    toClient.end()
    endContent(toServer.hasGap || toClient.hasGap ? .missingPackets : reason, at: now)
  }

  private func endContent(_ reason: PacketFailure, at now: MonotonicInstant) {
    switch content {
    case .http1(let conversation): conversation.end(reason, at: now)
    case .http2(let conversation): conversation.end(reason, at: now)
    case .unknown, .other: break
    }
    gather()
  }

  // MARK: Content

  private func read(_ bytes: [UInt8], fromClient: Bool, at now: MonotonicInstant) {
    switch content {
    case .http1(let conversation): conversation.receive(bytes, fromClient: fromClient, at: now)
    case .http2(let conversation): conversation.receive(bytes, fromClient: fromClient, at: now)
    case .unknown: begin(bytes, fromClient: fromClient, at: now)
    case .other: return
    }
    gather()
  }

  private func begin(_ bytes: [UInt8], fromClient: Bool, at now: MonotonicInstant) {
    guard fromClient else {
      earlyCount += bytes.count
      if earlyCount > Self.earlyLimit { content = .other } else { early.append((bytes, now)) }
      return
    }
    if !facts.sawHandshake, beginning.isEmpty, !RequestStart.isOne(bytes) {
      // The rest of a request whose beginning is not in the capture.
      early = []
      earlyCount = 0
      return
    }
    beginning += bytes
    let start = beginningTime ?? now
    beginningTime = start
    if RequestStart.isHello(beginning), !facts.isSecure {
      facts.isSecure = true
      beginning = []
      beginningTime = nil
      return
    }
    if RequestStart.preface.starts(with: beginning.prefix(Self.prefaceSize)) {
      guard beginning.count >= Self.prefaceSize else { return }
      content = .http2(HTTP2Conversation(bodyLimit: bodyLimit))
    } else {
      content = RequestStart.isOne(beginning) ? .http1(HTTP1Conversation(bodyLimit: bodyLimit)) : .other
    }
    let (first, waiting) = (beginning, early)
    (beginning, early) = ([], [])
    // HTTP/2 lets the server speak first; HTTP/1 does not.
    if case .http2 = content { for piece in waiting { read(piece.bytes, fromClient: false, at: piece.time) } }
    read(first, fromClient: true, at: start)
  }

  private func gather() {
    let ended: [PacketExchange] =
      switch content {
      case .http1(let conversation): conversation.takeComplete()
      case .http2(let conversation): conversation.takeComplete()
      case .unknown, .other: []
      }
    complete += ended
  }
}

/// Tells what the first bytes of a client begin.
enum RequestStart {
  /// RFC 9113 3.4.
  static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  /// A handshake record of TLS (RFC 8446 5.1).
  static func isHello(_ bytes: [UInt8]) -> Bool { bytes.count >= 2 && bytes[0] == 0x16 && bytes[1] == 0x03 }

  /// A method, a blank, and the beginning of a target (RFC 9112 3.2); or the preface, or a hello. Prose is no request.
  static func isOne(_ bytes: [UInt8]) -> Bool {
    if isHello(bytes) { return true }
    let method = bytes.prefix(24).prefix { ByteSet.token.contains($0) }
    guard !method.isEmpty, method.count < bytes.count else { return bytes.count < 24 && !method.isEmpty }
    guard bytes[method.count] == Byte.space else { return false }
    let target = bytes[(method.count + 1)...]
    guard let first = target.first else { return true }
    return first == Byte.slash || first == UInt8(ascii: "*") || target.starts(with: "http".utf8)
      || method.elementsEqual("CONNECT".utf8)
  }
}
