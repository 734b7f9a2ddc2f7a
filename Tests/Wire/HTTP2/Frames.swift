/// Frames as a hostile peer writes them: nothing is checked, and header lists are literals without compression.
struct Frame: Equatable {
  var type: UInt8
  var flags: UInt8
  var stream: Int32
  var payload: [UInt8]

  static let endStream: UInt8 = 0x1
  static let acknowledgement: UInt8 = 0x1
  static let endHeaders: UInt8 = 0x4
  static let padded: UInt8 = 0x8
  static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  var bytes: [UInt8] {
    let length = payload.count
    return [UInt8(length >> 16), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), type, flags] + Self.number(UInt32(stream))
      + payload
  }

  static func number(_ value: UInt32) -> [UInt8] {
    [UInt8(value >> 24), UInt8(value >> 16 & 0xFF), UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)]
  }

  // MARK: Writing

  static func data(_ stream: Int32, _ payload: [UInt8], ends: Bool = false) -> Frame {
    Frame(type: 0, flags: ends ? endStream : 0, stream: stream, payload: payload)
  }

  static func headers(_ stream: Int32, _ lines: [(String, String)], ends: Bool = true, flags: UInt8 = endHeaders) -> Frame {
    headers(stream, block: block(lines), ends: ends, flags: flags)
  }

  static func headers(_ stream: Int32, block: [UInt8], ends: Bool = true, flags: UInt8 = endHeaders) -> Frame {
    Frame(type: 1, flags: flags | (ends ? endStream : 0), stream: stream, payload: block)
  }

  static func reset(_ stream: Int32, _ code: UInt32 = 8) -> Frame {
    Frame(type: 3, flags: 0, stream: stream, payload: number(code))
  }

  static func settings(_ settings: [(UInt16, UInt32)] = []) -> Frame {
    let payload = settings.flatMap { [UInt8($0.0 >> 8), UInt8($0.0 & 0xFF)] + number($0.1) }
    return Frame(type: 4, flags: 0, stream: 0, payload: payload)
  }

  static let settingsAcknowledgement = Frame(type: 4, flags: acknowledgement, stream: 0, payload: [])

  static func ping(_ number: UInt8 = 0, flags: UInt8 = 0) -> Frame {
    Frame(type: 6, flags: flags, stream: 0, payload: [UInt8](repeating: number, count: 8))
  }

  static func goAway(last: Int32, code: UInt32 = 0) -> Frame {
    Frame(type: 7, flags: 0, stream: 0, payload: number(UInt32(last)) + number(code))
  }

  static func windowUpdate(_ stream: Int32, _ increment: UInt32) -> Frame {
    Frame(type: 8, flags: 0, stream: stream, payload: number(increment))
  }

  static func continuation(_ stream: Int32, block: [UInt8] = [], flags: UInt8 = 0) -> Frame {
    Frame(type: 9, flags: flags, stream: stream, payload: block)
  }

  static func priority(_ stream: Int32, of dependency: UInt32 = 0) -> Frame {
    Frame(type: 2, flags: 0, stream: stream, payload: number(dependency) + [15])
  }

  static func priorityUpdate(_ stream: Int32, _ value: String) -> Frame {
    Frame(type: 0x10, flags: 0, stream: 0, payload: number(UInt32(stream)) + Array(value.utf8))
  }

  /// Literals without indexing, with new names, without Huffman coding (RFC 7541 6.2.2).
  static func block(_ lines: [(String, String)]) -> [UInt8] {
    lines.flatMap { [0x00] + string(Array($0.0.utf8)) + string(Array($0.1.utf8)) }
  }

  static func string(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
    var result: [UInt8] = [127]
    var rest = bytes.count - 127
    while rest >= 128 {
      result.append(UInt8(rest & 127) | 128)
      rest >>= 7
    }
    return result + [UInt8(rest)] + bytes
  }

  // MARK: Reading

  /// The frames that a session wrote, after the preface if there is one.
  static func reading(_ bytes: [UInt8]) -> [Frame] {
    var rest = bytes.starts(with: preface) ? bytes[preface.count...] : bytes[...]
    var frames: [Frame] = []
    while rest.count >= 9 {
      let header = Array(rest.prefix(9))
      let length = Int(header[0]) << 16 | Int(header[1]) << 8 | Int(header[2])
      let stream = header[5...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      frames.append(
        Frame(type: header[3], flags: header[4], stream: Int32(stream), payload: Array(rest.dropFirst(9).prefix(length))))
      rest = rest.dropFirst(9 + length)
    }
    return frames
  }

  /// The number at `index` of the payload: an error code, a stream, an increment.
  func number(at index: Int = 0) -> UInt32 {
    payload[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  var isReset: Bool { type == 3 }
  var isGoAway: Bool { type == 7 }
}
