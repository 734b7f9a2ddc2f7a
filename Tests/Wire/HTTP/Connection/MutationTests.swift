import TapelineBase
import Testing

@testable import TapelineHTTP

/// Damaged messages: whatever comes, there is no crash, and the pieces in which it comes change nothing.
@Suite struct MutationTests {
  private static let requests = [
    "GET http://u@a:80/b?c#d HTTP/1.1\r\nHost: a\r\nX: 1\r\nConnection: X, close\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: [::1]:80\r\nContent-Length: 3\r\n\r\nabcGET / HTTP/1.0\r\n\r\n",
    "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nT: 1\r\n\r\n",
    "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n\u{16}\u{3}",
  ]
  private static let responses = [
    "HTTP/1.1 100 \r\n\r\nHTTP/1.1 200\nServer : x\nA: 1\n 2\nContent-Length: 1\n\nz",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\nHTTP/1.0 200 OK\r\n\r\nrest",
    "HTTP/1.1 101 \r\nUpgrade: x\r\n\r\n\u{0}\u{1}",
  ]
  /// The bytes that mean something to the grammar, which damage most.
  private static let bytes = Array("\r\n\t :;,/0159aAfF-[]@%#?".utf8) + [0x00, 0x0B, 0x7F, 0x80, 0xA0, 0xFF]

  @Test(arguments: [HTTP1Connection.Role.server, .client], 0..<8)
  func damageIsReadTheSameInAnyPieces(role: HTTP1Connection.Role, seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    let sources = role == .server ? Self.requests : Self.responses
    for _ in 0..<400 {
      var bytes = Array(sources[random.next(below: sources.count)].utf8)
      for _ in 0...random.next(below: 3) { Self.damage(&bytes, &random) }
      let methods: [HTTPMethod] = [[.get, .get], [.head, .get], [.connect]][random.next(below: 3)]
      let whole = Conversation.reading([bytes], as: role, to: methods)
      let drip = Conversation.reading(bytes.map { [$0] }, as: role, to: methods)
      let split = random.next(below: bytes.count + 1)
      let halves = Conversation.reading([Array(bytes[..<split]), Array(bytes[split...])], as: role, to: methods)
      #expect(whole == drip, "\(String(decoding: bytes, as: UTF8.self).debugDescription)")
      #expect(whole == halves, "\(String(decoding: bytes, as: UTF8.self).debugDescription) split at \(split)")
    }
  }

  private static func damage(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
    guard !bytes.isEmpty else { return }
    let place = random.next(below: bytes.count)
    let byte = Self.bytes[random.next(below: Self.bytes.count)]
    switch random.next(below: 4) {
    case 0: bytes[place] = byte
    case 1: bytes.insert(byte, at: place)
    case 2: bytes.remove(at: place)
    default: bytes.removeSubrange(place...)
    }
  }
}
