internal import COpenSSL

/// Owns one reference to an `X509_CRL`: an authority's list of the certificates that it has revoked (RFC 5280 5).
package struct RevocationListHandle: Sendable {
  private let object: OwnedObject

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
    unsafe object = OwnedObject(list, free: X509_CRL_free)
  }

  /// The first list of a PEM text; nil if it is missing or damaged.
  package init?(pem: Span<UInt8>) {
    let list = unsafe readPEM(pem) { unsafe PEM_read_bio_X509_CRL($0, nil, passwordIsRefused, nil) }
    guard let list = unsafe list else { return nil }
    unsafe object = OwnedObject(list, free: X509_CRL_free)
  }

  /// Borrowed; it lives as long as the value.
  var pointer: OpaquePointer { unsafe object.pointer }

  package var der: [UInt8] {
    unsafe encoded { unsafe i2d_X509_CRL(pointer, $0) }
  }
}
