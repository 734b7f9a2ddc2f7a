/// A set of octets, asked for each octet of a text.
struct OctetFlags {
  private var flags = InlineArray<256, Bool>(repeating: false)

  init(_ octets: [UInt8]) {
    for octet in octets { flags[Int(octet)] = true }
  }

  @inline(__always)
  subscript(octet: UInt8) -> Bool { flags[Int(octet)] }
}
