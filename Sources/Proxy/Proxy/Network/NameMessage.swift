internal import TapelineBase

/// A question to a name server or its answer, as far as we read it (RFC 1035 4).
package struct NameMessage: Equatable {
  /// Lower-cased, without the final dot.
  package let name: String
  /// The type of the question: 1 for A, 28 for AAAA.
  let type: UInt16
  package let isAnswer: Bool
  /// Whether it asks one question and carries no records but those that say how to answer (RFC 6891, RFC 8945).
  package let isPlainQuestion: Bool
  /// The code of an answer: 0 for success, 3 for a name that does not exist.
  let code: UInt8
  /// The addresses in the answer.
  let addresses: [IPAddress]

  private static let headerSize = 12
  private static let ipv4: UInt16 = 1
  private static let ipv6: UInt16 = 28

  /// `nil` for bytes that are no message with one question. An answer is read up to its first fault.
  package init?(_ bytes: [UInt8]) {
    var reader = Reader(bytes: bytes)
    guard bytes.count >= Self.headerSize, Self.number(bytes, at: 4) == 1 else { return nil }
    isAnswer = bytes[2] & 0x80 != 0
    code = bytes[3] & 0x0F
    let isQuery = bytes[2] & 0x78 == 0
    let counts = [6, 8, 10].map { Self.number(bytes, at: $0) }
    reader.offset = Self.headerSize
    guard let name = reader.name(), let type = reader.number(), reader.number() != nil else { return nil }
    self.name = name
    self.type = type
    var addresses: [IPAddress] = []
    for _ in 0..<Self.number(bytes, at: 6) {
      guard let record = reader.record() else { break }
      switch (record.type, record.data.count) {
      case (Self.ipv4, 4), (Self.ipv6, 16): addresses.append(IPAddress(bytes: record.data))
      default: break
      }
    }
    self.addresses = addresses
    let hasOptionsOnly = !isAnswer && isQuery && counts[0] == 0 && counts[1] == 0 && counts[2] <= Self.mostOptions
    isPlainQuestion =
      hasOptionsOnly && (0..<counts[2]).allSatisfy { _ in reader.record() != nil } && reader.offset == bytes.count
  }

  /// EDNS and a signature.
  private static let mostOptions: UInt16 = 2

  /// Whether bytes are an answer to a question: by its id, and by the question that they repeat. A server that cannot read the
  /// question repeats nothing.
  package static func isAnswer(_ bytes: [UInt8], to question: [UInt8]) -> Bool {
    guard min(bytes.count, question.count) >= headerSize, bytes[..<2] == question[..<2], bytes[2] & 0x80 != 0 else {
      return false
    }
    guard number(bytes, at: 4) != 0 else { return bytes.count == headerSize && bytes[3] & 0x0F != 0 }
    guard let end = endOfQuestion(in: question), number(bytes, at: 4) == 1, bytes.count >= end else { return false }
    // Names are not case-sensitive (RFC 4343).
    return zip(bytes[headerSize..<end], question[headerSize..<end]).allSatisfy { Byte.lowercased($0) == Byte.lowercased($1) }
  }

  private static func endOfQuestion(in question: [UInt8]) -> Int? {
    var reader = Reader(bytes: question, offset: headerSize)
    return reader.name() != nil && reader.number() != nil && reader.number() != nil ? reader.offset : nil
  }

  /// Why a server answers nothing else (RFC 1035 4.1.1).
  package enum Failure: UInt8 {
    case serverFailure = 2
    case refused = 5
  }

  /// The answer to a question whose server is not asked, or cannot be. `nil` for too few bytes.
  package static func failure(_ failure: Failure, answering question: [UInt8]) -> [UInt8]? {
    guard question.count >= headerSize else { return nil }
    let (isAnswer, keptFlags, recursionAvailable): (UInt8, UInt8, UInt8) = (0x80, 0x79, 0x80)
    var answer = question
    answer[2] = isAnswer | question[2] & keptFlags
    answer[3] = recursionAvailable | failure.rawValue
    return answer
  }

  private static func number(_ bytes: [UInt8], at offset: Int) -> UInt16 {
    UInt16(bytes[offset]) << 8 | UInt16(bytes[offset + 1])
  }

  private struct Reader {
    let bytes: [UInt8]
    var offset = 0

    mutating func number() -> UInt16? {
      guard offset + 2 <= bytes.count else { return nil }
      defer { offset += 2 }
      return NameMessage.number(bytes, at: offset)
    }

    /// A name without compression, as in a question.
    mutating func name() -> String? {
      var labels: [String] = []
      while offset < bytes.count {
        let count = Int(bytes[offset])
        offset += 1
        if count == 0 { return labels.joined(separator: ".").lowercased() }
        guard count < 64, offset + count <= bytes.count, labels.count < 128 else { return nil }
        labels.append(String(decoding: bytes[offset..<offset + count], as: UTF8.self))
        offset += count
      }
      return nil
    }

    /// A record after the name that it is about: the type and the data.
    mutating func record() -> (type: UInt16, data: [UInt8])? {
      while offset < bytes.count {
        let count = bytes[offset]
        // A pointer ends a name (RFC 1035 4.1.4).
        if count & 0xC0 == 0xC0 {
          offset += 2
          break
        }
        offset += 1 + Int(count)
        if count == 0 { break }
      }
      guard let type = number(), number() != nil, number() != nil, number() != nil, let length = number(),
        offset + Int(length) <= bytes.count
      else { return nil }
      defer { offset += Int(length) }
      return (type, Array(bytes[offset..<offset + Int(length)]))
    }
  }
}
