/// The credentials for a handshake: a certificate, the chain above it, and the certificate's key.
package final class TLSCredentials: Sendable {
  package let leaf: X509Handle
  let key: PrivateKeyHandle
  private let chain: [X509Handle]

  package init(leaf: X509Handle, key: PrivateKeyHandle, chain: [X509Handle] = []) {
    self.leaf = leaf
    self.key = key
    self.chain = chain
  }

  /// Calls `body` with the `X509`, the `EVP_PKEY` and the chain's `X509`s. OpenSSL retains those that it keeps.
  @unsafe
  func withUnsafeHandles<Result, Failure>(
    _ body: (_ leaf: OpaquePointer, _ key: OpaquePointer, _ chain: [OpaquePointer]) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(self) {} }
    return unsafe try body(leaf.pointer, key.pointer, chain.map { unsafe $0.pointer })
  }
}
