internal import TapelineHAR
internal import TapelineTime

/// The phases in whole microseconds, as they are printed: the printed phases add up to exactly the printed total.
struct EntryTimings: Equatable {
  let blockedParts: BlockedParts
  let dns: Int64?
  let connect: Int64?
  let ssl: Int64?
  let send: Int64
  let wait: Int64
  let receive: Int64

  init(_ phases: ExchangePhases) {
    blockedParts = BlockedParts(phases.blockedParts)
    dns = phases.dns.map(Self.microseconds)
    connect = phases.connect.map(Self.microseconds)
    ssl = phases.ssl.map(Self.microseconds)
    send = Self.microseconds(phases.send)
    wait = Self.microseconds(phases.wait)
    receive = Self.microseconds(phases.receive)
  }

  var blocked: Int64 { blockedParts.client + blockedParts.proxy + blockedParts.connection }

  var total: Int64 {
    blocked + (dns ?? 0) + (connect ?? 0) + send + wait + receive
  }

  /// The shares of client, proxy and connection in `blocked`. The printed parts add up to the printed `blocked`.
  struct BlockedParts: Equatable {
    let client: Int64
    let proxy: Int64
    let connection: Int64

    init(_ time: BlockedTime) {
      client = EntryTimings.microseconds(time.client)
      proxy = EntryTimings.microseconds(time.proxy)
      connection = EntryTimings.microseconds(time.connection)
    }

    /// Appends `_blocked`.
    func append(to writer: inout JSONWriter) {
      writer.append(json: #","_blocked":{"client":"#)
      writer.append(millisecondsOf: client)
      writer.append(json: #","proxy":"#)
      writer.append(millisecondsOf: proxy)
      writer.append(json: #","connection":"#)
      writer.append(millisecondsOf: connection)
      writer.append(byte: UInt8(ascii: "}"))
    }
  }

  /// Rounds to the nearest microsecond; rounding keeps the order, so `ssl` stays within `connect`.
  static func microseconds(_ nanoseconds: Int64) -> Int64 {
    (nanoseconds + 500) / 1_000
  }

  /// Appends the members, without the braces.
  func append(to writer: inout JSONWriter) {
    writer.append(json: #""blocked":"#)
    writer.append(millisecondsOf: blocked)
    writer.append(json: #","dns":"#)
    append(dns, to: &writer)
    writer.append(json: #","connect":"#)
    append(connect, to: &writer)
    writer.append(json: #","send":"#)
    writer.append(millisecondsOf: send)
    writer.append(json: #","wait":"#)
    writer.append(millisecondsOf: wait)
    writer.append(json: #","receive":"#)
    writer.append(millisecondsOf: receive)
    writer.append(json: #","ssl":"#)
    append(ssl, to: &writer)
  }

  private func append(_ microseconds: Int64?, to writer: inout JSONWriter) {
    guard let microseconds else {
      writer.append(json: "-1")
      return
    }
    writer.append(millisecondsOf: microseconds)
  }
}
