/// What is spoken inside the connection, by its name in the registry of application-layer protocol negotiation (RFC 7301 6).
package struct ApplicationProtocol: Sendable, Hashable, CustomStringConvertible {
  /// At most 255 bytes, not empty.
  package let name: String

  package init(name: String) {
    precondition((1...255).contains(name.utf8.count), "an application protocol's name has 1 to 255 bytes (RFC 7301 3.1)")
    self.name = name
  }

  package static let http11 = ApplicationProtocol(name: "http/1.1")
  package static let http2 = ApplicationProtocol(name: "h2")

  package var description: String { name }

  /// A list of names as the extension carries it: each behind its length (RFC 7301 3.1).
  static func encode(_ protocols: [ApplicationProtocol]) -> [UInt8] {
    var bytes: [UInt8] = []
    for each in protocols {
      bytes.append(UInt8(each.name.utf8.count))
      bytes.append(contentsOf: each.name.utf8)
    }
    return bytes
  }

  /// Where in `offered`, a list as the extension carries it, the name stands that `preferred`, another one, names first;
  /// `nil` when they have none in common.
  static func select(_ preferred: Span<UInt8>, from offered: Span<UInt8>) -> Range<Int>? {
    var wanted = 0
    while let wish = name(in: preferred, at: wanted) {
      var position = 0
      while let offer = name(in: offered, at: position) {
        if areEqual(preferred.extracting(wish), offered.extracting(offer)) { return offer }
        position = offer.upperBound
      }
      wanted = wish.upperBound
    }
    return nil
  }

  /// The bytes of the name whose length stands at `position`.
  private static func name(in list: Span<UInt8>, at position: Int) -> Range<Int>? {
    guard position < list.count else { return nil }
    let end = position + 1 + Int(list[position])
    return end <= list.count ? position + 1..<end : nil
  }

  private static func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    for index in left.indices where left[index] != right[index] { return false }
    return true
  }
}
