/// The shares of client and proxy in `timings.blocked` in milliseconds, as our logs have them in `_blocked`; 0 where a log has
/// none.
package struct BlockedShares: Sendable, Hashable {
  package var client = 0.0
  package var proxy = 0.0

  package init(client: Double = 0, proxy: Double = 0) {
    self.client = client
    self.proxy = proxy
  }

  /// - Parameter value: the member of an entry.
  package init(_ value: HARValue?) {
    client = value?["client"]?.double ?? 0
    proxy = value?["proxy"]?.double ?? 0
  }
}

extension JSONParser {
  /// Takes a `_blocked`; `nil` if something else comes.
  mutating func readBlockedShares() throws(HARReadError) -> BlockedShares? {
    guard try peek() == UInt8(ascii: "{") else { return nil }
    if let shares = readRecordedShares() { return shares }
    var shares = BlockedShares()
    try readObject { (parser, name) throws(HARReadError) in
      if name.matches("client"), try parser.peek() != UInt8(ascii: "\""), try parser.read(&shares.client) { return }
      if name.matches("proxy"), try parser.peek() != UInt8(ascii: "\""), try parser.read(&shares.proxy) { return }
      try parser.skipValue()
    }
    return shares
  }

  /// Takes the text that our recorder writes, which nearly every entry has: reading it as any object made a table of exchanges a
  /// tenth slower. Takes nothing of any other text.
  private mutating func readRecordedShares() -> BlockedShares? {
    let start = position
    if let client = take(after: #"{"client":"#), let proxy = take(after: #","proxy":"#), take(after: #","connection":"#) != nil,
      isNext("}")
    {
      position += 1
      return BlockedShares(client: client, proxy: proxy)
    }
    position = start
    return nil
  }

  private mutating func take(after prefix: StaticString) -> Double? {
    guard isNext(prefix) else { return nil }
    position += prefix.utf8CodeUnitCount
    return try? readDouble()
  }
}
