/// Reads and writes the numbers of an index, little-endian, without looking at each of them.
struct ColumnBytes {
  private let bytes: [UInt8]
  private(set) var place: Int

  init(_ bytes: [UInt8], from place: Int = 0) {
    self.bytes = bytes
    self.place = place
  }

  /// The next `count` numbers; `nil` if there are fewer.
  mutating func numbers<Number: BitwiseCopyable>(_ type: Number.Type, count: Int) -> [Number]? {
    let size = MemoryLayout<Number>.stride
    guard count >= 0, count <= (bytes.count - place) / size else { return nil }
    let range = place..<place + count * size
    place = range.upperBound
    return unsafe [Number](unsafeUninitializedCapacity: count) { room, initialized in
      unsafe bytes.withUnsafeBytes { bytes in
        unsafe UnsafeMutableRawBufferPointer(room).copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[range]))
      }
      initialized = count
    }
  }

  /// The bytes after the numbers.
  consuming func rest() -> ArraySlice<UInt8> { bytes[place...] }

  static func append<Number: BitwiseCopyable>(_ numbers: [Number], to bytes: inout [UInt8]) {
    unsafe numbers.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
  }

  /// Whether numbers in memory are as they are in the file.
  static var isNative: Bool { 1.littleEndian == 1 }
}
