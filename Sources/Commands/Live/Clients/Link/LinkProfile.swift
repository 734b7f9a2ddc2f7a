package import TapelineInspect
internal import TapelineHAR
internal import TapelineSystem

/// A network of the user's choice, between a command and the recording.
package struct LinkProfile: Sendable, Hashable {
  /// Half of it in each direction, in nanoseconds.
  var rtt: Int64 = 0
  /// Bytes per nanosecond toward the program, and from it; `nil`: as fast as this machine is.
  var down: Double?
  var up: Double?
  /// Added in each direction, from 0 up to this, in nanoseconds. It never changes the order of packets.
  var jitter: Int64 = 0
  /// The share of packets that are lost, of 1.
  var loss = 0.0
  /// Bytes that wait for the line in each direction; further packets are dropped. `nil`: two round trips' worth.
  var queue: Int?
  /// When the line carries a packet of the full size, in milliseconds, over and over (Mahimahi's format); `nil`: at its rates.
  var trace: [Int64]?
  /// As the user wrote it.
  let text: String
  /// The number that decides what is left to chance.
  let seed: UInt64

  /// Those that Chrome and Lighthouse have.
  private static let named = [
    "slow-4g": "rtt=150ms,down=1.6Mbit,up=750kbit", "fast-4g": "rtt=60ms,down=9Mbit,up=1.5Mbit",
    "3g": "rtt=300ms,down=700kbit,up=700kbit",
  ]

  package init(_ text: String, seed: UInt64 = 1) throws(QueryError) {
    self.text = text
    self.seed = seed
    if text.hasPrefix("trace:") {
      trace = try Self.trace(in: String(text.dropFirst(6)))
      return
    }
    let settings = Self.named[text] ?? text
    var offset = 0
    for part in settings.split(separator: ",", omittingEmptySubsequences: false) {
      try set(part, at: offset)
      offset += part.count + 1
    }
  }

  /// Rules that come near it where nobody can hold packets: they hold back each exchange by itself.
  package var rules: [String] {
    let milliseconds = { (time: Int64) in "\(HARNumber(Double(time) / 1e6).text)ms" }
    let rate = trace.map { Double($0.count) * 1_500 / (Double($0[$0.count - 1]) * 1e6) } ?? down
    return [
      rtt + jitter > 0 ? "*: delay \(milliseconds(rtt + jitter))\(jitter > 0 ? "±\(milliseconds(jitter))" : "")" : nil,
      rate.map { "*: rate \(HARNumber(($0 * 1e9).rounded() / 1e3).text)kB/s" },
    ].compactMap(\.self)
  }

  /// Says where that is all, and what it does not show.
  package var note: String {
    let done = rules.isEmpty ? "nothing" : rules.joined(separator: ", ")
    return
      "--network \(text) delays exchanges here, and not packets (\(done)): this shows no handshakes, no loss, no way up, and no "
      + "line that responses share; tapeline run --network -- COMMAND does"
  }

  private static let names = ["rtt", "down", "up", "jitter", "loss", "queue"]

  private mutating func set(_ part: Substring, at offset: Int) throws(QueryError) {
    let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard sides.count == 2 else {
      let known = Self.named.keys.sorted()
      let others = "name \(known.joined(separator: ", ")), trace:FILE, or write it like rtt=150ms,down=1.6Mbit,up=750kbit"
      throw QueryError(
        "\(part) is no network", remedy: Spelling.remedy(for: String(part), among: known, else: others), at: offset)
    }
    let (name, value, place) = (String(sides[0]), sides[1], offset + sides[0].count + 1)
    switch name {
    case "rtt": rtt = try Self.time(value, at: place)
    case "jitter": jitter = try Self.time(value, at: place)
    case "down": down = try Self.rate(value, at: place)
    case "up": up = try Self.rate(value, at: place)
    case "loss":
      loss = try QueryError.reading(value, as: "a share", like: "loss=1%", at: place) { text in
        Double(text.dropLast()).flatMap { text.hasSuffix("%") && (0..<100).contains($0) ? $0 / 100 : nil }
      }
    case "queue":
      queue = try QueryError.reading(value, as: "the size of a queue", like: "queue=64KiB, at least 1500B", at: place) { text in
        QueryQuantity.value(of: text, .size, 1_500...1e9).map { Int($0) }
      }
    case _:
      let others = "it has \(Self.names.joined(separator: ", "))"
      throw QueryError(
        "a network has no \(name)", remedy: Spelling.remedy(for: name, among: Self.names, else: others), at: offset)
    }
  }

  private static func time(_ text: Substring, at offset: Int) throws(QueryError) -> Int64 {
    try QueryError.reading(text, as: "a time", like: "150ms, up to a minute", at: offset) { text in
      QueryQuantity.value(of: text, .duration, 0...60_000).map { Int64($0 * 1e6) }
    }
  }

  /// Bits per second, as networks have them.
  private static func rate(_ text: Substring, at offset: Int) throws(QueryError) -> Double {
    try QueryError.reading(text, as: "a rate", like: "750kbit or 1.6Mbit, in bits per second", at: offset) { text -> Double? in
      let factor: Double? = ["kbit": 1e3, "Mbit": 1e6, "Gbit": 1e9][String(text.suffix(4))]
      let rate = (Double(text.dropLast(4)) ?? 0) * (factor ?? 0)
      return rate >= 1_000 && rate <= 1e11 ? rate / 8e9 : nil
    }
  }

  private static func trace(in path: String) throws(QueryError) -> [Int64] {
    let bytes: [UInt8]
    do throws(SystemCallError) {
      bytes = try WholeFile.read(path, limit: 16 << 20)
    } catch {
      throw QueryError("\(path) cannot be read: \(error.text)", remedy: "name a file in Mahimahi's format", at: 6)
    }
    var instants: [Int64] = []
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      guard let instant = Int64(line.filter { !$0.isWhitespace }), instant >= instants.last ?? 0, instant < 1 << 40 else {
        throw QueryError(
          "\(path) is not a trace: \(String(line.prefix(20)).printable)",
          remedy: "each line has the time of a packet in milliseconds, in order", at: 6)
      }
      instants.append(instant)
    }
    guard let last = instants.last, last > 0 else {
      throw QueryError("\(path) has no packets", remedy: "name a file in Mahimahi's format", at: 6)
    }
    return instants
  }
}
