internal import COpenSSL
internal import Synchronization

/// The certificates of a PEM file, in DER and by subject. OpenSSL gets one decoded when a chain asks for it: to decode the 140
/// roots of a system takes 30 ms, and a run needs two or three of them.
final class RootIndex: Sendable {
  private struct Root: Sendable {
    /// An `X509_NAME`.
    let subject: OwnedObject
    let der: [UInt8]
  }

  private let roots: [Root]
  /// By index in `roots`. Kept: a store does not take a second copy of what it has, but its callers borrow what they find.
  private let decoded = Mutex<[Int: X509Handle]>([:])

  /// Nil if the text holds anything but plain certificates, such as revocation lists or a damaged one: OpenSSL knows what to make
  /// of that.
  init?(pem text: [UInt8]) {
    guard let certificates = PEM.onlyCertificates(in: text), !certificates.isEmpty else { return nil }
    defer { ErrorStack.clear() }
    var roots: [Root] = []
    for der in certificates {
      guard let subject = Self.subject(of: der.span) else { return nil }
      roots.append(Root(subject: subject, der: der))
    }
    self.roots = roots
  }

  /// Lets `store` find the certificates. It keeps the index alive.
  func attach(to store: OpaquePointer) {
    guard let lookup = unsafe X509_STORE_add_lookup(store, lookupMethod.pointer) else {
      preconditionFailure("OpenSSL has no memory for a lookup")
    }
    unsafe X509_LOOKUP_set_method_data(lookup, Unmanaged.passRetained(self).toOpaque())
  }

  /// Adds all certificates of this name to `store`, as a lookup must, and answers the first.
  fileprivate func add(named name: OpaquePointer, to store: OpaquePointer) -> X509Handle? {
    var first: X509Handle?
    for index in roots.indices where unsafe X509_NAME_cmp(roots[index].subject.pointer, name) == 0 {
      guard let certificate = certificate(at: index), unsafe X509_STORE_add_cert(store, certificate.pointer) == 1 else {
        continue
      }
      first = first ?? certificate
    }
    return first
  }

  private func certificate(at index: Int) -> X509Handle? {
    let der = roots[index].der
    return decoded.withLock { decoded in
      if let known = decoded[index] { return known }
      let certificate = X509Handle(der: der.span)
      decoded[index] = certificate
      return certificate
    }
  }

  /// The subject of a certificate, of which nothing else is decoded (RFC 5280 4.1); nil if it is damaged.
  private static func subject(of der: Span<UInt8>) -> OwnedObject? {
    unsafe der.withUnsafeBufferPointer { bytes -> OwnedObject? in
      guard var position = bytes.baseAddress else { return nil }
      let end = unsafe position + bytes.count
      // The certificate, and in it what is signed.
      guard unsafe enter(&position, end) != nil, unsafe enter(&position, end) != nil else { return nil }
      // Before the subject: perhaps the version, then serial number, algorithm, issuer and validity.
      var left = 4
      while left > 0 {
        guard let value = unsafe enter(&position, end) else { return nil }
        if value.class == V_ASN1_UNIVERSAL { left -= 1 }
        unsafe position += value.count
      }
      var encoded: UnsafePointer<UInt8>? = unsafe position
      guard let name = unsafe d2i_X509_NAME(nil, &encoded, end - position) else { return nil }
      return unsafe OwnedObject(name, free: X509_NAME_free)
    }
  }

  /// Moves to the contents of the value at `position`. Nil unless all of it is there.
  @unsafe
  private static func enter(_ position: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> (class: Int32, count: Int)? {
    var contents: UnsafePointer<UInt8>? = unsafe position
    var count = 0
    var tag: Int32 = 0
    var kind: Int32 = 0
    let result = unsafe ASN1_get_object(&contents, &count, &tag, &kind, end - position)
    guard result & 0x80 == 0, let contents = unsafe contents else { return nil }
    unsafe position = contents
    return (kind, count)
  }
}

/// OpenSSL's way to more certificates than a store holds.
private let lookupMethod: OwnedObject = {
  guard let method = unsafe X509_LOOKUP_meth_new("tapeline roots") else {
    preconditionFailure("OpenSSL has no memory for a lookup")
  }
  unsafe X509_LOOKUP_meth_set_get_by_subject(method, rootIsWanted)
  unsafe X509_LOOKUP_meth_set_free(method, indexIsReleased)
  return unsafe OwnedObject(method, free: X509_LOOKUP_meth_free)
}()

/// Called by OpenSSL, on any thread, for a name that the store does not know yet. Returns whether `result` has a certificate.
private func rootIsWanted(
  _ lookup: OpaquePointer?, _ type: X509_LOOKUP_TYPE, _ name: OpaquePointer?, _ result: OpaquePointer?
) -> Int32 {
  guard type == X509_LU_X509, let name = unsafe name, let store = unsafe X509_LOOKUP_get_store(lookup),
    let context = unsafe X509_LOOKUP_get_method_data(lookup)
  else { return 0 }
  let index = unsafe Unmanaged<RootIndex>.fromOpaque(context).takeUnretainedValue()
  guard let root = unsafe index.add(named: name, to: store), unsafe X509_OBJECT_set1_X509(result, root.pointer) == 1 else {
    return 0
  }
  // The caller borrows what it finds, as from OpenSSL's own lookups: the index keeps it.
  unsafe X509_free(root.pointer)
  return 1
}

private func indexIsReleased(_ lookup: OpaquePointer?) {
  guard let context = unsafe X509_LOOKUP_get_method_data(lookup) else { return }
  unsafe Unmanaged<RootIndex>.fromOpaque(context).release()
}
