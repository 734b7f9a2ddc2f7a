/// Appends JSON text to memory that it owns and keeps.
///
/// Nothing is checked of the structure: who calls it writes the braces and commas. It makes no `String` and no value tree, so
/// that a recorder can write an exchange straight from the octets that came over the wire.
@safe
public struct JSONWriter: ~Copyable {
  /// Owned: allocated in `init` or `grow`, freed in `deinit`. The first `written` octets are initialised.
  @usableFromInline
  var base: UnsafeMutablePointer<UInt8>
  /// Octets so far.
  @usableFromInline
  var written = 0
  @usableFromInline
  var capacity: Int

  /// Makes a writer with room for so many octets before it must find more.
  public init(capacity: Int = 4096) {
    let capacity = max(capacity, 64)
    unsafe base = .allocate(capacity: capacity)
    self.capacity = capacity
  }

  deinit {
    unsafe base.deallocate()
  }

  /// Octets written so far.
  public var count: Int { written }

  /// Makes room for `extra` more octets.
  @inlinable @inline(__always)
  mutating func reserve(_ extra: Int) {
    if capacity - written < extra { grow(by: extra) }
  }

  /// Memory at least doubles, so that appending stays linear.
  @inline(never) @usableFromInline
  mutating func grow(by extra: Int) {
    let larger = max(capacity * 2, written + extra)
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    unsafe memory.update(from: base, count: written)
    unsafe base.deallocate()
    unsafe base = memory
    capacity = larger
  }

  /// Appends text that is already JSON: braces, commas, names.
  ///
  /// Inlined, as an entry has some two hundred: where the text is known, copying it is a few moves.
  @inlinable @inline(__always)
  public mutating func append(json: StaticString) {
    precondition(json.hasPointerRepresentation, "a piece of JSON has at least two characters; one octet has append(octet:)")
    let size = json.utf8CodeUnitCount
    reserve(size)
    unsafe (base + written).initialize(from: json.utf8Start, count: size)
    written += size
  }

  /// Appends one octet that is already JSON.
  @inlinable @inline(__always)
  public mutating func append(octet: UInt8) {
    reserve(1)
    unsafe base[written] = octet
    written += 1
  }

  /// Appends octets that are already JSON.
  public mutating func append(json: Span<UInt8>) {
    reserve(json.count)
    unsafe json.withUnsafeBufferPointer { octets in
      guard let start = octets.baseAddress else { return }
      unsafe (base + written).initialize(from: start, count: octets.count)
    }
    written += json.count
  }

  /// Puts blanks in the place of line breaks, from `start` on.
  mutating func replaceLineBreaks(from start: Int) {
    precondition(start >= 0 && start <= written, "only what was written can be changed")
    for index in start..<written {
      let octet = unsafe base[index]
      if octet == UInt8(ascii: "\n") || octet == UInt8(ascii: "\r") { unsafe base[index] = 0x20 }
    }
  }

  /// Whether `octet` was written last: an opening brace or bracket, for instance, means that no comma is due.
  public func ends(with octet: UInt8) -> Bool {
    unsafe written > 0 && base[written - 1] == octet
  }

  /// Forgets everything after the first `newCount` octets.
  public mutating func truncate(to newCount: Int) {
    precondition(newCount >= 0 && newCount <= written, "only what was written can be kept")
    written = newCount
  }

  /// Lends what was written.
  public borrowing func withOctets<Result: ~Copyable, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(unsafe Span(_unsafeStart: UnsafePointer(base), count: written))
  }

  /// A copy of what was written.
  public var octets: [UInt8] {
    unsafe [UInt8](UnsafeBufferPointer(start: base, count: written))
  }
}
