internal import COpenSSL

/// Owns one reference to an `X509_CRL`: an authority's list of the certificates that it has revoked (RFC 5280 5).
///
/// Safety: nothing changes a list once it is read; what OpenSSL computes from it on first use it locks itself.
@safe
package final class RevocationListHandle: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Nil unless `der` is one whole list.
  package init?(der: Span<UInt8>) {
    let list = unsafe der.withUnsafeBufferPointer { bytes in
      var position = bytes.baseAddress
      let list = unsafe d2i_X509_CRL(nil, &position, bytes.count)
      let isWhole = unsafe position == bytes.baseAddress.map { unsafe $0 + bytes.count }
      guard let list = unsafe list, !isWhole else { return unsafe list }
      unsafe X509_CRL_free(list)
      return nil
    }
    ErrorStack.clear()
    guard let list = unsafe list else { return nil }
    unsafe pointer = unsafe list
  }

  /// The first list of a PEM text; nil if there is none, or it is damaged.
  package init?(pem: Span<UInt8>) {
    let list = unsafe readPEM(pem) { unsafe PEM_read_bio_X509_CRL($0, nil, passwordIsRefused, nil) }
    guard let list = unsafe list else { return nil }
    unsafe pointer = unsafe list
  }

  deinit {
    unsafe X509_CRL_free(pointer)
  }

  package var der: [UInt8] {
    unsafe encoded { unsafe i2d_X509_CRL(pointer, $0) }
  }
}
