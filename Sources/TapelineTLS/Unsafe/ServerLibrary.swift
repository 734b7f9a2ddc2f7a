internal import COpenSSL

/// The OpenSSL library context of our connections to servers. It decodes no keys but those of certificates.
///
/// OpenSSL 3.0 looks through all its decoders for the key of each certificate that a server shows: forty, of which twelve take
/// such keys (SubjectPublicKeyInfo, RFC 5280, 4.1.2.7). With these alone, it takes 44 µs for a certificate instead of 78.
///
/// There is no setting for that, but a context asks its providers what they can do. This one has a single provider, ours. It
/// answers for OpenSSL's default provider, and leaves out the other decoders.
enum ServerLibrary {
  /// Safety: OpenSSL locks its contents, and nobody writes the pointer.
  nonisolated(unsafe) static let context: OpaquePointer? = unsafe make(for: nil)

  /// - Parameter configured: the context that the system has configured; nil is OpenSSL's own.
  /// - Returns: nil, and so OpenSSL's own context, where the system has configured other providers or asks for FIPS: our
  ///   connections must have what they offer.
  static func make(for configured: OpaquePointer?) -> OpaquePointer? {
    // The first question has OpenSSL read the configuration.
    guard unsafe providers(of: configured) == ["default"], unsafe EVP_default_properties_is_fips_enabled(configured) == 0,
      unsafe defaultProvider != nil, let context = unsafe OSSL_LIB_CTX_new()
    else { return nil }
    let name = "tapeline"
    guard unsafe OSSL_PROVIDER_add_builtin(context, name, providerStarts) == 1, unsafe OSSL_PROVIDER_load(context, name) != nil
    else {
      unsafe OSSL_LIB_CTX_free(context)
      return nil
    }
    return unsafe context
  }

  private static func providers(of library: OpaquePointer?) -> [String] {
    var names: [String] = []
    let add: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = { provider, names in
      if let name = unsafe OSSL_PROVIDER_get0_name(provider) {
        unsafe names?.assumingMemoryBound(to: [String].self).pointee.append(String(cString: name))
      }
      return 1
    }
    unsafe withUnsafeMutablePointer(to: &names) { _ = unsafe OSSL_PROVIDER_do_all(library, add, $0) }
    return names
  }
}

// MARK: The provider
//
// OpenSSL keeps pointers to all of this until the process ends.

/// OpenSSL's default provider, in a context of its own, which is never freed.
nonisolated(unsafe) private let defaultProvider: OpaquePointer? = unsafe OSSL_LIB_CTX_new().flatMap {
  unsafe OSSL_PROVIDER_load($0, "default")
}

/// The default provider's decoders of a certificate's key, up to an entry without a name.
nonisolated(unsafe) private let keyDecoders: UnsafePointer<OSSL_ALGORITHM> = {
  var decoders: [OSSL_ALGORITHM] = unsafe []
  var mustNotBeCached: Int32 = 0
  var next = unsafe OSSL_PROVIDER_query_operation(defaultProvider, OSSL_OP_DECODER, &mustNotBeCached)
  while let decoder = unsafe next?.pointee, let properties = unsafe decoder.property_definition {
    if unsafe String(cString: properties).contains("structure=SubjectPublicKeyInfo") { unsafe decoders.append(decoder) }
    unsafe next = next.map { unsafe $0 + 1 }
  }
  unsafe decoders.append(OSSL_ALGORITHM())
  return unsafe kept(decoders)
}()

/// What our provider can do: each function with its number (provider-base(7)), up to the number zero.
nonisolated(unsafe) private let functions: UnsafePointer<OSSL_DISPATCH> = {
  typealias Query =
    @convention(c) (UnsafeMutableRawPointer?, Int32, UnsafeMutablePointer<Int32>?) -> UnsafePointer<OSSL_ALGORITHM>?
  let query: Query = { _, operation, mustNotBeCached in
    guard operation != OSSL_OP_DECODER else { return unsafe keyDecoders }
    return unsafe OSSL_PROVIDER_query_operation(defaultProvider, operation, mustNotBeCached)
  }
  // The groups of TLS are capabilities.
  typealias Report = @convention(c) (UnsafePointer<OSSL_PARAM>?, UnsafeMutableRawPointer?) -> Int32
  typealias Capabilities =
    @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, Report?, UnsafeMutableRawPointer?) -> Int32
  let capabilities: Capabilities = { _, name, report, argument in
    unsafe OSSL_PROVIDER_get_capabilities(defaultProvider, name, report, argument)
  }
  return unsafe kept([
    OSSL_DISPATCH(function_id: OSSL_FUNC_PROVIDER_QUERY_OPERATION, function: unsafeBitCast(query, to: Function.self)),
    OSSL_DISPATCH(function_id: OSSL_FUNC_PROVIDER_GET_CAPABILITIES, function: unsafeBitCast(capabilities, to: Function.self)),
    OSSL_DISPATCH(),
  ])
}()

private typealias Function = @convention(c) () -> Void

/// Our provider's objects are the default provider's, so it works in that one's context.
private func providerStarts(
  _ core: OpaquePointer?, _ offered: UnsafePointer<OSSL_DISPATCH>?,
  _ ours: UnsafeMutablePointer<UnsafePointer<OSSL_DISPATCH>?>?, _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> Int32 {
  unsafe ours?.pointee = functions
  unsafe context?.pointee = OSSL_PROVIDER_get0_provider_ctx(defaultProvider)
  return 1
}

/// A copy that is never freed.
private func kept<Element>(_ list: [Element]) -> UnsafePointer<Element> {
  let copy = UnsafeMutablePointer<Element>.allocate(capacity: list.count)
  for (index, element) in list.enumerated() { unsafe (copy + index).initialize(to: element) }
  return unsafe UnsafePointer(copy)
}
