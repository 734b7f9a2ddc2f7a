internal import TapelineLoop

extension AddressBlock {
  /// Reads `10.0.0.0/8` or `[fd00::]/8`, with or without the brackets; `nil` for anything else.
  package init?(text: some StringProtocol) {
    guard let slash = text.firstIndex(of: "/") else { return nil }
    let digits = text[text.index(after: slash)...]
    guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let length = Int(digits) else {
      return nil
    }
    let host = text[..<slash]
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    guard let address = SocketAddress(literal: String(isBracketed ? host.dropFirst().dropLast() : host), port: 0) else {
      return nil
    }
    self.init(address, prefixLength: length)
  }
}
