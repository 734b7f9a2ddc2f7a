/// Strings in the form of `argv` and `envp`: copies that end in NUL, and a null pointer after the last. Owned by this value.
@safe
struct CStringArray: ~Copyable {
  private let strings: UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>

  init(_ byteStrings: [[UInt8]]) {
    unsafe strings = .allocate(capacity: byteStrings.count + 1)
    for (index, bytes) in byteStrings.enumerated() {
      unsafe strings.initializeElement(at: index, to: Self.copy(bytes))
    }
    unsafe strings.initializeElement(at: byteStrings.count, to: nil)
  }

  deinit {
    for index in unsafe strings.indices {
      unsafe strings[index]?.deallocate()
    }
    unsafe strings.deallocate()
  }

  /// Valid while this value lives.
  @unsafe
  var start: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> {
    guard let start = unsafe strings.baseAddress else { preconditionFailure("the array holds at least its terminator") }
    return unsafe start
  }

  private static func copy(_ bytes: [UInt8]) -> UnsafeMutablePointer<CChar> {
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
    for (index, byte) in bytes.enumerated() {
      unsafe copy[index] = CChar(bitPattern: byte)
    }
    unsafe copy[bytes.count] = 0
    return unsafe copy
  }
}
