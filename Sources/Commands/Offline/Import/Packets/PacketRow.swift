internal import TapelineBase
internal import TapelineTime

/// One packet, as tshark writes it: a line of fields.
struct PacketRow {
  /// The fields that tshark is asked for, in their order.
  enum Field: Int, CaseIterable {
    case time, stream, sourceV4, sourceV6, destinationV4, destinationV6, sourcePort, destinationPort, flags, sequence, length
    case payload, handshake, serverName, cipher, version, protocols, data
    case dnsPort, dnsID, dnsIsAnswer, dnsName, dnsV4, dnsV6

    /// As tshark names it.
    var name: String {
      switch self {
      case .time: "frame.time_epoch"
      case .stream: "tcp.stream"
      case .sourceV4: "ip.src"
      case .sourceV6: "ipv6.src"
      case .destinationV4: "ip.dst"
      case .destinationV6: "ipv6.dst"
      case .sourcePort: "tcp.srcport"
      case .destinationPort: "tcp.dstport"
      case .flags: "tcp.flags"
      case .sequence: "tcp.seq_raw"
      case .length: "tcp.len"
      case .payload: "tcp.payload"
      case .handshake: "tls.handshake.type"
      case .serverName: "tls.handshake.extensions_server_name"
      case .cipher: "tls.handshake.ciphersuite"
      case .version: "tls.handshake.extensions.supported_version"
      case .protocols: "tls.handshake.extensions_alpn_str"
      case .data: "data.data"
      case .dnsPort: "udp.srcport"
      case .dnsID: "dns.id"
      case .dnsIsAnswer: "dns.flags.response"
      case .dnsName: "dns.qry.name"
      case .dnsV4: "dns.a"
      case .dnsV6: "dns.aaaa"
      }
    }
  }

  private let fields: [ArraySlice<UInt8>]
  let time: MonotonicInstant

  /// `nil` for a line of another form.
  init?(_ line: [UInt8]) {
    fields = line.split(separator: Byte.tab, omittingEmptySubsequences: false)
    guard fields.count == Field.allCases.count, let time = Self.time(fields[Field.time.rawValue]) else { return nil }
    self.time = time
  }

  /// Where a field occurs several times, its first value.
  func first(_ field: Field) -> ArraySlice<UInt8> { fields[field.rawValue].prefix { $0 != Byte.comma } }

  func text(_ field: Field) -> String { String(decoding: first(field), as: UTF8.self) }

  /// All values of a field.
  func texts(_ field: Field) -> [String] {
    fields[field.rawValue].split(separator: Byte.comma).map { String(decoding: $0, as: UTF8.self) }
  }

  /// A decimal number, or a hexadecimal number after `0x`.
  func number(_ field: Field) -> Int? { Self.number(first(field)) }

  static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    let text = String(decoding: digits, as: UTF8.self)
    return text.hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text)
  }

  /// The bytes of a field in hexadecimal, with or without colons; those of several occurrences follow each other.
  func bytes(_ field: Field) -> [UInt8] {
    var bytes: [UInt8] = []
    var high: UInt8?
    bytes.reserveCapacity(fields[field.rawValue].count / 2)
    for digit in fields[field.rawValue] {
      guard let value = Hexadecimal.value(of: digit) else { continue }
      if let begun = high {
        bytes.append(begun << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    return bytes
  }

  /// Whether the field has a value.
  func has(_ field: Field) -> Bool { !fields[field.rawValue].isEmpty }

  /// `1795415059.808040374`: seconds since 1970.
  private static func time(_ text: ArraySlice<UInt8>) -> MonotonicInstant? {
    let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 1)
    guard let seconds = parts.first.flatMap(number), (0..<1 << 33).contains(seconds) else { return nil }
    var fraction = 0
    let digits = parts.count > 1 ? parts[1] : []
    for place in 0..<9 {
      let digit = place < digits.count ? digits[digits.startIndex + place] : UInt8(ascii: "0")
      guard Byte.isDigit(digit) else { return nil }
      fraction = fraction * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return MonotonicInstant(nanoseconds: Int64(seconds) * 1_000_000_000 + Int64(fraction), clock: .wire)
  }
}

/// The flags of a segment (RFC 9293 3.1).
struct SegmentFlags: OptionSet {
  let rawValue: Int

  static let end = SegmentFlags(rawValue: 0x1)
  static let synchronize = SegmentFlags(rawValue: 0x2)
  static let reset = SegmentFlags(rawValue: 0x4)
  static let acknowledge = SegmentFlags(rawValue: 0x10)
}
