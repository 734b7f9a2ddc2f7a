internal import TapelineBase

/// Appends JSON text to memory that it owns and reuses.
///
/// It does not check the structure: the caller writes the braces and commas. It makes no `String` and no value tree, so
/// a recorder can write an exchange straight from the bytes that came over the wire.
@safe
public struct JSONWriter: ~Copyable {
  /// Owned: allocated in `init` or `grow`, freed in `deinit`. The first `written` bytes are initialised.
  @usableFromInline
  var base: UnsafeMutablePointer<UInt8>
  /// Bytes so far.
  @usableFromInline
  var written = 0
  @usableFromInline
  package var capacity: Int
  /// The alignment of the memory, in bytes; the capacity is a multiple of it.
  private let alignment: Int

  /// Makes a writer with room for `capacity` bytes before it must allocate more.
  public init(capacity: Int = 4096) {
    self.init(capacity: max(capacity, 64), alignment: MemoryLayout<UInt64>.alignment)
  }

  /// - Parameter alignment: of the memory, a power of two: direct writes to a file need whole blocks (`withBlocks`).
  package init(capacity: Int, alignment: Int) {
    let capacity = capacity.roundedUp(toMultipleOf: alignment)
    unsafe base = Self.allocate(capacity, alignment)
    self.capacity = capacity
    self.alignment = alignment
  }

  deinit {
    unsafe UnsafeMutableRawPointer(base).deallocate()
  }

  @unsafe
  private static func allocate(_ capacity: Int, _ alignment: Int) -> UnsafeMutablePointer<UInt8> {
    unsafe UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: alignment)
      .bindMemory(to: UInt8.self, capacity: capacity)
  }

  /// Bytes written so far.
  public var count: Int { written }

  /// Makes room for `extra` more bytes.
  @inlinable @inline(__always)
  mutating func reserve(_ extra: Int) {
    if capacity - written < extra { grow(by: extra) }
  }

  /// Memory at least doubles, so that appending stays linear.
  @inline(never) @usableFromInline
  mutating func grow(by extra: Int) {
    resize(to: max(capacity * 2, written + extra))
  }

  private mutating func resize(to newCapacity: Int) {
    let newCapacity = newCapacity.roundedUp(toMultipleOf: alignment)
    let memory = unsafe Self.allocate(newCapacity, alignment)
    unsafe memory.update(from: base, count: written)
    unsafe UnsafeMutableRawPointer(base).deallocate()
    unsafe base = memory
    capacity = newCapacity
  }

  /// Appends text that is already JSON: braces, commas, names.
  ///
  /// Inlined, as an entry has some two hundred: if the text is known, copying it is a few moves.
  @inlinable @inline(__always)
  public mutating func append(json: StaticString) {
    precondition(json.hasPointerRepresentation, "a piece of JSON has at least two characters; one byte has append(byte:)")
    let size = json.utf8CodeUnitCount
    reserve(size)
    unsafe (base + written).initialize(from: json.utf8Start, count: size)
    written += size
  }

  /// Appends one byte that is already JSON.
  @inlinable @inline(__always)
  public mutating func append(byte: UInt8) {
    reserve(1)
    unsafe base[written] = byte
    written += 1
  }

  /// Appends bytes that are already JSON.
  public mutating func append(json: Span<UInt8>) {
    reserve(json.count)
    unsafe json.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return }
      unsafe (base + written).initialize(from: start, count: bytes.count)
    }
    written += json.count
  }

  /// Replaces line breaks with blanks, from `start` on.
  mutating func replaceLineBreaks(from start: Int) {
    precondition(start >= 0 && start <= written, "only what was written can be changed")
    for index in start..<written {
      let byte = unsafe base[index]
      if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { unsafe base[index] = 0x20 }
    }
  }

  /// Whether `byte` was written last: after an opening brace or bracket, for instance, no comma is due.
  public func ends(with byte: UInt8) -> Bool {
    unsafe written > 0 && base[written - 1] == byte
  }

  /// Forgets everything after the first `newCount` bytes.
  public mutating func truncate(to newCount: Int) {
    precondition(newCount >= 0 && newCount <= written, "only what was written can be kept")
    written = newCount
  }

  /// Forgets all but the last `count` bytes, and gives back memory beyond `largestCapacity`.
  package mutating func keepLast(_ count: Int, largestCapacity: Int) {
    precondition(count >= 0 && count <= written, "only what was written can be kept")
    unsafe base.update(from: base + (written - count), count: count)
    written = count
    if capacity > largestCapacity { resize(to: max(largestCapacity, count)) }
  }

  /// Lends what was written, then `closing`, blanks, and a line end at the end of a block. What follows the text does not become
  /// part of it.
  package mutating func withBlocks<Result: ~Copyable, Failure: Error>(
    of blockSize: Int, closing: Span<UInt8>, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let text = written
    append(json: closing)
    let size = (written + 1).roundedUp(toMultipleOf: blockSize)
    reserve(size - written)
    unsafe (base + written).initialize(repeating: 0x20, count: size - written)
    unsafe base[size - 1] = UInt8(ascii: "\n")
    written = text
    return try body(unsafe Span(_unsafeStart: UnsafePointer(base), count: size))
  }

  /// Lends what was written.
  public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(unsafe Span(_unsafeStart: UnsafePointer(base), count: written))
  }

  /// A copy of what was written.
  public var bytes: [UInt8] {
    unsafe [UInt8](UnsafeBufferPointer(start: base, count: written))
  }
}

extension Int {
  /// - Parameter factor: a power of two.
  package func roundedUp(toMultipleOf factor: Int) -> Int {
    (self + factor - 1) & ~(factor - 1)
  }
}

// MARK: - Parts that are written in place

extension JSONWriter {
  /// Appends a whole number.
  public mutating func append(integer value: UInt64) {
    reserve(20)
    if value < 10 {
      unsafe base[written] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value)
      written += 1
    } else {
      written += unsafe Self.write(value, at: base + written)
    }
  }

  /// Appends exactly `count` decimal digits of `value`, with leading zeros: the parts of a date.
  @inline(__always)
  public mutating func append(digits value: UInt64, count: Int) {
    reserve(count)
    var (rest, end) = unsafe (value, base + written + count)
    for _ in 0..<count / 2 {
      unsafe end -= 2
      let (front, pair) = rest.quotientAndRemainder(dividingBy: 100)
      unsafe Self.write(pair: pair, at: end)
      rest = front
    }
    if count % 2 == 1 { unsafe end[-1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10) }
    written += count
  }

  /// Writes as many digits as the value has, four for each division of a large one. Answers how many.
  @unsafe
  private static func write(_ value: UInt64, at place: UnsafeMutablePointer<UInt8>) -> Int {
    guard value < 10_000 else {
      let (front, four) = value.quotientAndRemainder(dividingBy: 10_000)
      let count = unsafe write(front, at: place)
      unsafe write(pair: four / 100, at: place + count)
      unsafe write(pair: four % 100, at: place + count + 2)
      return count + 4
    }
    let (front, pair) = value.quotientAndRemainder(dividingBy: 100)
    switch value {
    case 0..<10:
      unsafe place[0] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value)
      return 1
    case 10..<100:
      unsafe write(pair: pair, at: place)
      return 2
    case 100..<1_000:
      unsafe place[0] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: front)
      unsafe write(pair: pair, at: place + 1)
      return 3
    default:
      unsafe write(pair: front, at: place)
      unsafe write(pair: pair, at: place + 2)
      return 4
    }
  }

  /// - Parameter pair: less than 100.
  @unsafe @inline(__always)
  private static func write(pair: UInt64, at place: UnsafeMutablePointer<UInt8>) {
    let digits = unsafe UnsafeRawPointer(pairs.utf8Start).loadUnaligned(
      fromByteOffset: Int(truncatingIfNeeded: pair) * 2, as: UInt16.self)
    unsafe UnsafeMutableRawPointer(place).storeBytes(of: digits, as: UInt16.self)
  }

  /// `00` to `99`: two digits for one division.
  private static var pairs: StaticString {
    """
    0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849\
    5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899
    """
  }

  /// Appends `bytes` as a JSON string in base64 (RFC 4648, section 4, with padding).
  public mutating func append(base64 bytes: Span<UInt8>) {
    let size = Base64.encodedSize(of: bytes.count)
    reserve(size + 2)
    append(byte: UInt8(ascii: "\""))
    unsafe bytes.withUnsafeBufferPointer { unsafe Base64.encode($0, to: base + written) }
    written += size
    append(byte: UInt8(ascii: "\""))
  }

  /// Appends text that is already JSON.
  package mutating func append(plain json: String) {
    var json = json
    json.withUTF8 { unsafe append(json: Span(_unsafeElements: $0)) }
  }
}
