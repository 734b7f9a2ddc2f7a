internal import Glibc

/// Strings as `argv` and `envp` have them: copies that end in NUL, and a null pointer after the last. Owned here.
@safe
struct CStringArray: ~Copyable {
  private let strings: UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>

  init(_ octetStrings: [[UInt8]]) {
    unsafe strings = .allocate(capacity: octetStrings.count + 1)
    for (index, octets) in octetStrings.enumerated() {
      unsafe strings.initializeElement(at: index, to: Self.copy(octets))
    }
    unsafe strings.initializeElement(at: octetStrings.count, to: nil)
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

  private static func copy(_ octets: [UInt8]) -> UnsafeMutablePointer<CChar> {
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: octets.count + 1)
    for (index, octet) in octets.enumerated() {
      unsafe copy[index] = CChar(bitPattern: octet)
    }
    unsafe copy[octets.count] = 0
    return unsafe copy
  }
}
