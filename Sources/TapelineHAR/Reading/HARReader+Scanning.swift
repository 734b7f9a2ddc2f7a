extension HARReader {
  static func isWhiteSpace(_ octet: UInt8) -> Bool {
    octet == 0x20 || octet == 0x0A || octet == 0x0D || octet == 0x09
  }

  /// The next octet that is not white space, without taking it; `nil` when more octets are needed.
  mutating func nextOctet() throws(HARReadError) -> UInt8? {
    while position < buffer.count {
      let octet = buffer[position]
      guard Self.isWhiteSpace(octet) else { return octet }
      position += 1
    }
    if isFinished { throw failure(.unexpectedEnd) }
    return nil
  }

  /// Where the whole value at the position stands in the buffer; `nil` when its end has not come yet.
  mutating func nextValue() throws(HARReadError) -> Range<Int>? {
    var scanner = self.scanner ?? ValueScanner()
    let length = scanner.length(in: buffer.span.extracting(position..<buffer.count), isLast: isFinished)
    if let length {
      self.scanner = nil
      return position..<position + length
    }
    if isFinished {
      position = buffer.count
      throw failure(.unexpectedEnd)
    }
    if buffer.count - position > valueSizeLimit { throw failure(.tooLarge(limit: valueSizeLimit)) }
    self.scanner = scanner
    return nil
  }

  /// Moves behind the colon that must follow the name which ends at `index`; `false` when it has not come yet.
  mutating func hasColon(after index: Int) throws(HARReadError) -> Bool {
    var index = index
    while index < buffer.count {
      if buffer[index] == UInt8(ascii: ":") {
        position = index + 1
        return true
      }
      guard Self.isWhiteSpace(buffer[index]) else {
        position = index
        throw failure(.expected("a colon"))
      }
      index += 1
    }
    if isFinished {
      position = index
      throw failure(.unexpectedEnd)
    }
    return false
  }

  func parser(_ range: Range<Int>) -> JSONParser {
    JSONParser(buffer, range: range, origin: origin)
  }

  func failure(_ kind: HARReadError.Kind) -> HARReadError {
    HARReadError(kind: kind, offset: origin + position)
  }
}
