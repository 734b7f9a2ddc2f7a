internal import COpenSSL

/// The wire as OpenSSL sees it: it reads from bytes that are lent for one call, and writes to an array.
///
/// OpenSSL's own memory BIOs would copy the input once more and keep two buffers per connection.
///
/// Ownership: OpenSSL holds the `BIO`, which points back here without retaining. The engine holds this object longer than its
/// `SSL`, and OpenSSL calls back only inside the engine's calls.
@safe
final class CiphertextBIO {
  /// The rest of the bytes that are lent now.
  private var input = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
  /// Records that wait to be sent.
  var output: [UInt8] = []

  /// Makes a `BIO` over this object, for `SSL_set_bio` to own.
  func makeBIO() -> OpaquePointer {
    guard let bio = unsafe BIO_new(Self.method) else {
      preconditionFailure("OpenSSL has no memory for a BIO")
    }
    unsafe BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
    unsafe BIO_set_init(bio, 1)
    return unsafe bio
  }

  /// Bytes that OpenSSL has not read yet.
  var inputCount: Int { unsafe input.count }

  /// Lends `bytes` to OpenSSL's reads during `body`.
  func withInput<Result, Failure: Error>(
    _ bytes: Span<UInt8>, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe bytes.withUnsafeBytes { bytes throws(Failure) in
      unsafe input = bytes
      defer { unsafe input = UnsafeRawBufferPointer(start: nil, count: 0) }
      return try body()
    }
  }

  // MARK: Called by OpenSSL

  /// Fills `destination` with as much input as there is.
  func read(into destination: UnsafeMutableRawBufferPointer) -> Int {
    let count = unsafe min(destination.count, input.count)
    unsafe destination.copyMemory(from: UnsafeRawBufferPointer(rebasing: input[..<count]))
    unsafe input = UnsafeRawBufferPointer(rebasing: input[count...])
    return count
  }

  func write(_ bytes: UnsafeRawBufferPointer) {
    unsafe output.append(contentsOf: bytes)
  }

  /// Made once per process and never freed; immutable from then on.
  private nonisolated(unsafe) static let method: OpaquePointer = {
    guard let method = unsafe BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "tapeline") else {
      preconditionFailure("OpenSSL has no memory for a BIO_METHOD")
    }
    unsafe BIO_meth_set_read_ex(method, ciphertextIsWanted)
    unsafe BIO_meth_set_write_ex(method, ciphertextWasMade)
    unsafe BIO_meth_set_ctrl(method, ciphertextControl)
    return unsafe method
  }()
}

/// Holds decrypted bytes during their delivery. All connections of a loop share one, since none keeps bytes in it.
@safe
package final class PlaintextBuffer {
  /// Four records, so that one delivery takes everything from one read of a socket.
  static let size = 64 * 1024

  private let storage: UnsafeMutableRawBufferPointer
  private var isInUse = false
  /// Bytes that were decrypted and not yet delivered.
  private var filled = 0

  package init() {
    unsafe storage = .allocate(byteCount: Self.size, alignment: 64)
  }

  deinit {
    unsafe storage.deallocate()
  }

  /// Reserves the buffer for one call of `TLSEngine.receive`.
  func reserved<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    precondition(!isInUse, "bytes were received while others were being delivered from the same buffer")
    isInUse = true
    defer { isInUse = false }
    return try body()
  }

  var isFull: Bool { filled == Self.size }

  /// Decrypts into the rest of the buffer.
  func read(from ssl: borrowing SSLHandle) -> SSLHandle.Step {
    let step = unsafe ssl.read(into: UnsafeMutableRawBufferPointer(rebasing: storage[filled...]))
    if case .done(let count) = step { filled += count }
    return step
  }

  /// Lends what the buffer holds, if anything, to `deliver`, and forgets it.
  func flush(to deliver: (Span<UInt8>) -> Void) {
    guard filled > 0 else { return }
    deliver(unsafe Span(_unsafeBytes: UnsafeRawBufferPointer(rebasing: storage[..<filled])))
    filled = 0
  }
}
