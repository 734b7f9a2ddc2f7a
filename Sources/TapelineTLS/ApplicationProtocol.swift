/// The protocol inside the connection, by its name in the registry of application-layer protocol negotiation (RFC 7301 6).
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

  /// A list of names as the extension carries it: each after its length (RFC 7301 3.1).
  static func encode(_ protocols: [ApplicationProtocol]) -> [UInt8] {
    var bytes: [UInt8] = []
    for each in protocols {
      bytes.append(UInt8(each.name.utf8.count))
      bytes.append(contentsOf: each.name.utf8)
    }
    return bytes
  }

  /// The range in `offered` of the first name in `preferred` that both lists contain; `nil` if they share no name. Both are lists
  /// as the extension carries them.
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

  /// The bytes of the name whose length is at `position`.
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
