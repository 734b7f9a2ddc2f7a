internal import TapelineBase

/// Follows the messages that pass in one direction of a gRPC call, without touching them ("gRPC over HTTP2",
/// Length-Prefixed-Message: a flag, four bytes of length, and the message).
///
/// It keeps five bytes at most, and the trailers of gRPC-Web. Bytes that are not messages stop it for good; the content goes on.
package struct GRPCMessageObserver: Sendable {
  package struct Message: Hashable, Sendable {
    /// Bytes without the prefix.
    package let size: UInt32
    package let isCompressed: Bool
    /// The trailers of gRPC-Web, which are framed like a message.
    package let isTrailers: Bool
  }

  private enum State: Sendable {
    /// The bytes of the prefix so far, the first in the highest place.
    case prefix(UInt64, count: Int)
    case content(Message, remaining: UInt32)
    case broken(GRPCFramingError)
  }

  private var state = State.prefix(0, count: 0)
  private let format: GRPCFormat
  /// Messages that have ended, without trailers.
  package private(set) var messageCount: UInt64 = 0
  /// The bytes of the trailers of gRPC-Web; empty if they are compressed or too many.
  private var trailerLines: [UInt8] = []
  /// The start of four characters of base64 whose rest has not come.
  private var digits = Base64Digits()

  private static let prefixLength = 5
  /// Longer trailers are not kept.
  private static let trailersLimit: UInt32 = 8 << 10

  package init(_ format: GRPCFormat) {
    self.format = format
  }

  /// The error in the bytes; nothing is observed after it.
  package var failure: GRPCFramingError? {
    switch state {
    case .broken(let error): error
    case .prefix, .content: nil
    }
  }

  /// Whether bytes of the current message, or of its prefix, are missing.
  package var isInMessage: Bool {
    switch state {
    case .prefix(_, let count): count > 0
    case .content: true
    case .broken: false
    }
  }

  /// Observes bytes of the content, in pieces of any size. `deliver` gets each message when it has ended.
  package mutating func receive(_ input: Span<UInt8>, deliver: (Message) -> Void) {
    switch format {
    case .http2, .web: observe(input, deliver)
    case .webText:
      guard failure == nil else { return }
      var bytes: [UInt8] = []
      bytes.reserveCapacity(input.count / 4 * 3 + 3)
      let isText = digits.decode(input, into: &bytes)
      observe(bytes.span, deliver)
      if !isText { state = .broken(.notBase64) }
    }
  }

  private mutating func observe(_ input: Span<UInt8>, _ deliver: (Message) -> Void) {
    var offset = 0
    while offset < input.count {
      switch state {
      case .prefix(let bytes, let count):
        receivePrefix(bytes << 8 | UInt64(input[offset]), count: count + 1)
        offset += 1
      case .content(let message, let remaining):
        let taken = UInt32(min(Int(remaining), input.count - offset))
        if message.isTrailers, !message.isCompressed, message.size <= Self.trailersLimit {
          trailerLines.append(bytes: input.extracting(offset..<offset + Int(taken)))
        }
        state = .content(message, remaining: remaining - taken)
        offset += Int(taken)
      case .broken:
        return
      }
      if case .content(let message, remaining: 0) = state {
        state = .prefix(0, count: 0)
        if !message.isTrailers { messageCount += 1 }
        deliver(message)
      }
    }
  }

  /// The trailers of gRPC-Web ("gRPC-Web", Message framing); `nil` until they have come.
  package var trailers: HeaderFields? {
    guard !trailerLines.isEmpty, !isInMessage else { return nil }
    var fields = HeaderFields()
    for line in String(decoding: trailerLines, as: UTF8.self).split(whereSeparator: \.isNewline) {
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty else { continue }
      fields.append(name: String(parts[0]), value: String(parts[1].drop { $0 == " " }))
    }
    return fields
  }

  private mutating func receivePrefix(_ bytes: UInt64, count: Int) {
    guard count == Self.prefixLength else {
      state = .prefix(bytes, count: count)
      return
    }
    let flag = UInt8(truncatingIfNeeded: bytes >> 32)
    let size = UInt32(truncatingIfNeeded: bytes)
    let isTrailers = flag & 0x80 != 0
    if flag & 0x7E != 0 || isTrailers && format == .http2 {
      state = .broken(.unknownFlag(flag))
    } else if size > UInt32(Int32.max) {
      state = .broken(.invalidLength(size))
    } else {
      state = .content(Message(size: size, isCompressed: flag & 1 != 0, isTrailers: isTrailers), remaining: size)
    }
  }
}

/// Bytes that are not gRPC messages.
package enum GRPCFramingError: Error, Hashable, Sendable {
  /// The first byte of a prefix is neither 0 nor 1; in gRPC-Web it can also be 0x80 or 0x81, for trailers.
  case unknownFlag(UInt8)
  /// A length that no implementation takes: beyond 2³¹−1.
  case invalidLength(UInt32)
  /// A character that base64 does not have.
  case notBase64
}

/// Decodes base64 in pieces of any size (RFC 4648 4). Padding ends a group and not the text: a sender encodes each of its writes.
package struct Base64Digits: Sendable {
  private var bits: UInt32 = 0
  private var count = 0

  package init() {}

  /// Returns whether all of it was base64. Line breaks are passed over.
  package mutating func decode(_ input: Span<UInt8>, into output: inout [UInt8]) -> Bool {
    for index in input.indices {
      let byte = input[index]
      if byte == UInt8(ascii: "=") || byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n") {
        if byte == UInt8(ascii: "=") { (bits, count) = (0, 0) }
        continue
      }
      guard let digit = Self.value(of: byte) else { return false }
      bits = bits << 6 | digit
      count += 1
      // A byte is whole with its second, third and fourth character.
      if count > 1 { output.append(UInt8(truncatingIfNeeded: bits >> [0, 0, 4, 2, 0][count])) }
      if count == 4 { (bits, count) = (0, 0) }
    }
    return true
  }

  private static func value(of byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
