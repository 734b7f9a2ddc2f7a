internal import TapelineCore
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
      writer.append(thousandths: client)
      writer.append(json: #","proxy":"#)
      writer.append(thousandths: proxy)
      writer.append(json: #","connection":"#)
      writer.append(thousandths: connection)
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
    writer.append(thousandths: blocked)
    writer.append(json: #","dns":"#)
    append(dns, to: &writer)
    writer.append(json: #","connect":"#)
    append(connect, to: &writer)
    writer.append(json: #","send":"#)
    writer.append(thousandths: send)
    writer.append(json: #","wait":"#)
    writer.append(thousandths: wait)
    writer.append(json: #","receive":"#)
    writer.append(thousandths: receive)
    writer.append(json: #","ssl":"#)
    append(ssl, to: &writer)
  }

  private func append(_ microseconds: Int64?, to writer: inout JSONWriter) {
    guard let microseconds else {
      writer.append(json: "-1")
      return
    }
    writer.append(thousandths: microseconds)
  }
}

/// Writes the debug description of a `Timeline` as a JSON string: the same text, in a tenth of the time.
enum TimelineText {
  static func append(_ timeline: Timeline, to writer: inout JSONWriter) {
    let values = [
      timeline.requestStartTime, timeline.initialResponseTime, timeline.requestCompletedTime, timeline.serializationCompletedTime,
    ]
    // No clock shows such a time, and the arithmetic below cannot handle it.
    guard values.allSatisfy({ $0.magnitude < 0x1p40 }) else {
      writer.append(string: timeline.debugDescription)
      return
    }
    writer.append(json: #""Timeline: { \"Request Start Time\": "#)
    append(thousandths: timeline.requestStartTime, to: &writer)
    writer.append(json: #", \"Initial Response Time\": "#)
    append(thousandths: timeline.initialResponseTime, to: &writer)
    writer.append(json: #", \"Request Completed Time\": "#)
    append(thousandths: timeline.requestCompletedTime, to: &writer)
    writer.append(json: #", \"Serialization Completed Time\": "#)
    append(thousandths: timeline.serializationCompletedTime, to: &writer)
    writer.append(json: #", \"Latency\": "#)
    append(thousandths: timeline.latency, to: &writer)
    writer.append(json: #" secs, \"Request Duration\": "#)
    append(thousandths: timeline.requestDuration, to: &writer)
    writer.append(json: #" secs, \"Serialization Duration\": "#)
    append(thousandths: timeline.serializationDuration, to: &writer)
    writer.append(json: #" secs, \"Total Duration\": "#)
    append(thousandths: timeline.totalDuration, to: &writer)
    writer.append(json: #" secs }""#)
  }

  /// Exactly three decimals: the exact binary value is rounded, ties go to even.
  private static func append(thousandths value: Double, to writer: inout JSONWriter) {
    if value.sign == .minus { writer.append(byte: UInt8(ascii: "-")) }
    writer.append(thousandths: Int64(rounded(value.magnitude)))
  }

  /// `magnitude × 1000`, below 2^50: the significand is an integer below 2^53, so the product fits into 64 bits.
  private static func rounded(_ magnitude: Double) -> UInt64 {
    let shift = 52 - Int(truncatingIfNeeded: magnitude.isNormal ? magnitude.exponent : -1_000)
    guard shift < 64 else { return 0 }
    let product = (magnitude.significandBitPattern | 1 << 52) * 1_000
    let quotient = product >> UInt64(shift)
    let remainder = product & ((1 << UInt64(shift)) - 1)
    let half: UInt64 = 1 << UInt64(shift - 1)
    return remainder > half || (remainder == half && quotient & 1 == 1) ? quotient + 1 : quotient
  }
}

extension JSONWriter {
  /// Appends `1994-11-06T08:49:37`, as `CivilDate.text` has it.
  mutating func append(_ date: CivilDate) {
    guard (0...9_999).contains(date.year) else {
      append(json: date.text.utf8.span)
      return
    }
    append(digits: UInt64(date.year), count: 4)
    append(date.month, after: "-")
    append(date.day, after: "-")
    append(date.hour, after: "T")
    append(date.minute, after: ":")
    append(date.second, after: ":")
  }

  private mutating func append(_ part: Int, after separator: Unicode.Scalar) {
    append(byte: UInt8(ascii: separator))
    append(digits: UInt64(part), count: 2)
  }
}

/// Writes times of day as HAR wants them: UTC, `YYYY-MM-DDTHH:MM:SS.ffffffZ`, six digits (readers break on nine).
struct DateWriter {
  /// The second whose text is cached: entries of the same second share it.
  private var second = Int64.min
  private var text: [UInt8] = []

  /// Appends the time without quotes; fractions of a microsecond are cut off.
  mutating func append(unixNanoseconds: Int64, to writer: inout JSONWriter) {
    var (second, rest) = unixNanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    if rest < 0 {
      second -= 1
      rest += 1_000_000_000
    }
    if second != self.second {
      text = Array("\(CivilDate(unixSeconds: second).text).".utf8)
      self.second = second
    }
    writer.append(json: text.span)
    writer.append(digits: UInt64(rest / 1_000), count: 6)
    writer.append(byte: UInt8(ascii: "Z"))
  }
}
