/// A message to the kernel's network configuration (netlink(7)): a header, a fixed part, and attributes.
package struct NetlinkMessage: Equatable, Sendable {
  /// Asks for an answer, even to success. Without it only failures are answered.
  package static let acknowledged: UInt16 = 0x004
  package static let create: UInt16 = 0x400
  package static let exclusive: UInt16 = 0x200
  package static let append: UInt16 = 0x800
  private static let request: UInt16 = 0x001

  package let type: UInt16
  package let flags: UInt16
  /// The fixed part and the attributes, as the kernel reads them.
  package let content: [UInt8]

  package init(type: UInt16, flags: UInt16, fixed: [UInt8], _ attributes: [NetlinkAttribute] = []) {
    self.type = type
    self.flags = flags | Self.request
    content = fixed.paddedToWords + attributes.flatMap(\.bytes)
  }

  package var isAcknowledged: Bool { flags & Self.acknowledged != 0 }

  /// With its header; messages follow each other in one datagram.
  package func bytes(sequence: UInt32) -> [UInt8] {
    (Self.native(UInt32(Self.headerSize + content.count)) + Self.native(type) + Self.native(flags) + Self.native(sequence)
      + Self.native(UInt32(0)) + content).paddedToWords
  }

  package static let headerSize = 16

  /// A number in this machine's order.
  package static func native(_ number: some FixedWidthInteger) -> [UInt8] {
    (0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number.littleEndian >> ($0 * 8)) }
  }

  /// A number in the order of the network.
  package static func network(_ number: some FixedWidthInteger) -> [UInt8] {
    native(number.bigEndian)
  }
}

/// A typed value in a message, which may consist of others.
package struct NetlinkAttribute: Equatable, Sendable {
  let bytes: [UInt8]

  package init(_ type: UInt16, _ value: [UInt8]) {
    bytes = (NetlinkMessage.native(UInt16(4 + value.count)) + NetlinkMessage.native(type) + value).paddedToWords
  }

  /// Numbers of the packet filter are in the network's order.
  package init(_ type: UInt16, _ number: UInt32) {
    self.init(type, NetlinkMessage.network(number))
  }

  package init(_ type: UInt16, _ text: String) {
    self.init(type, Array(text.utf8) + [0])
  }

  package init(_ type: UInt16, nested attributes: [NetlinkAttribute]) {
    self.init(type | Self.isNested, attributes.flatMap(\.bytes))
  }

  private static let isNested: UInt16 = 0x8000

  /// Calls `body` with the type and the value of each attribute of a message, without its padding; up to the first fault.
  static func forEach(in bytes: ArraySlice<UInt8>, _ body: (UInt16, ArraySlice<UInt8>) -> Void) {
    var start = bytes.startIndex
    while start + 4 <= bytes.endIndex {
      let length = Int(bytes[start]) | Int(bytes[start + 1]) << 8
      let type = UInt16(bytes[start + 2]) | UInt16(bytes[start + 3]) << 8
      guard length >= 4, start + length <= bytes.endIndex else { break }
      body(type & ~isNested, bytes[start + 4..<start + length])
      start += (length + 3) & ~3
    }
  }
}

extension [UInt8] {
  /// Netlink counts in words of four bytes.
  fileprivate var paddedToWords: [UInt8] {
    self + [UInt8](repeating: 0, count: (4 - count % 4) % 4)
  }
}

/// The kernel's answers to messages: for each, 0 or the code of a failure.
package enum NetlinkReply {
  private static let error: UInt16 = 2

  /// The codes (errno(3), positive) in a datagram of the kernel's, in its order; other messages in it are left out.
  package static func codes(in datagram: [UInt8]) -> [Int32] {
    var codes: [Int32] = []
    var start = 0
    while start + NetlinkMessage.headerSize + 4 <= datagram.count {
      let length = Int(number(in: datagram, at: start, count: 4))
      guard length >= NetlinkMessage.headerSize + 4, start + length <= datagram.count else { break }
      if number(in: datagram, at: start + 4, count: 2) == UInt32(error) {
        let code = Int32(bitPattern: number(in: datagram, at: start + NetlinkMessage.headerSize, count: 4))
        codes.append(-code)
      }
      start += (length + 3) & ~3
    }
    return codes
  }

  private static func number(in bytes: [UInt8], at offset: Int, count: Int) -> UInt32 {
    let value = (0..<count).reduce(UInt32(0)) { $0 | UInt32(bytes[offset + $1]) << ($1 * 8) }
    return UInt32(littleEndian: value)
  }
}
