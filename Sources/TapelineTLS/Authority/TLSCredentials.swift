/// What a server shows and proves in a handshake: its certificate, the chain above it, and the certificate's key.
///
/// Safety: the pointers are borrowed from the handles, which live as long as the credentials; see there why threads may share
/// them.
@safe
package final class TLSCredentials: @unchecked Sendable {
  package let leaf: X509Handle
  let key: PrivateKeyHandle
  private let chain: [X509Handle]
  /// Borrowed from `chain`; made once, for every handshake.
  private let chainPointers: [OpaquePointer]

  package init(leaf: X509Handle, key: PrivateKeyHandle, chain: [X509Handle] = []) {
    self.leaf = leaf
    self.key = key
    self.chain = chain
    unsafe chainPointers = unsafe chain.map { unsafe $0.pointer }
  }

  /// Calls `body` with the `X509`, the `EVP_PKEY` and the chain's `X509`s, which OpenSSL retains where it keeps them.
  @unsafe
  func withUnsafeHandles<Result, Failure>(
    _ body: (_ leaf: OpaquePointer, _ key: OpaquePointer, _ chain: [OpaquePointer]) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(self) {} }
    return unsafe try body(leaf.pointer, key.pointer, chainPointers)
  }
}
