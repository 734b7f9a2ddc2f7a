internal import COpenSSL

/// The OpenSSL library context of our connections to servers. It decodes no keys but those of certificates.
///
/// OpenSSL 3.0 looks through all its decoders for the key of each certificate that a server shows: forty, of which twelve take
/// such keys (SubjectPublicKeyInfo, RFC 5280, 4.1.2.7). With these alone, it takes 44 µs for a certificate instead of 78.
///
/// There is no setting for that, but a context asks its providers what they can do. This one has a single provider, ours. It
/// answers for OpenSSL's default provider, and leaves out the other decoders.
enum ServerLibrary {
  /// Borrowed; it lives until the process ends.
  static var context: OpaquePointer? { unsafe library?.pointer }

  private static let library = unsafe make(for: nil)

  /// - Parameter configured: the context that the system has configured; nil is OpenSSL's own.
  /// - Returns: nil, and so OpenSSL's own context, where the system has configured other providers or asks for FIPS: our
  ///   connections must have what they offer.
  static func make(for configured: OpaquePointer?) -> OwnedObject? {
    // The first question has OpenSSL read the configuration.
    guard unsafe providers(of: configured) == ["default"], unsafe EVP_default_properties_is_fips_enabled(configured) == 0,
      unsafe provider != nil, let context = unsafe OSSL_LIB_CTX_new()
    else { return nil }
    let library = unsafe OwnedObject(context, free: OSSL_LIB_CTX_free)
    let name = "tapeline"
    let isLoaded =
      unsafe OSSL_PROVIDER_add_builtin(context, name, providerStarts) == 1 && OSSL_PROVIDER_load(context, name) != nil
    return isLoaded ? library : nil
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

/// Safety: nobody changes it once it is made, and OpenSSL takes its own locks.
nonisolated(unsafe) private let provider = unsafe Provider()

/// The memory that OpenSSL points to until the process ends.
@unsafe
private struct Provider {
  /// OpenSSL's default provider, in a context of its own.
  let model: OpaquePointer
  /// The model's decoders of a certificate's key, up to an entry without a name.
  let keyDecoders: UnsafePointer<OSSL_ALGORITHM>
  /// The functions of our provider, each with its number (provider-base(7)), up to the number zero.
  let functions: UnsafePointer<OSSL_DISPATCH>

  /// `nil` if OpenSSL has no such provider.
  init?() {
    guard let model = unsafe OSSL_PROVIDER_load(OSSL_LIB_CTX_new(), "default") else { return nil }
    unsafe self.model = unsafe model
    unsafe keyDecoders = unsafe Self.kept(Self.keyDecoders(of: model))
    unsafe functions = unsafe Self.kept([
      OSSL_DISPATCH(function_id: OSSL_FUNC_PROVIDER_QUERY_OPERATION, function: unsafeBitCast(Self.query, to: Function.self)),
      OSSL_DISPATCH(
        function_id: OSSL_FUNC_PROVIDER_GET_CAPABILITIES, function: unsafeBitCast(Self.capabilities, to: Function.self)),
      OSSL_DISPATCH(),
    ])
  }

  private static func keyDecoders(of model: OpaquePointer) -> [OSSL_ALGORITHM] {
    var decoders: [OSSL_ALGORITHM] = unsafe []
    var mustNotBeCached: Int32 = 0
    var next = unsafe OSSL_PROVIDER_query_operation(model, OSSL_OP_DECODER, &mustNotBeCached)
    while let decoder = unsafe next?.pointee, let properties = unsafe decoder.property_definition {
      if unsafe String(cString: properties).contains("structure=SubjectPublicKeyInfo") { unsafe decoders.append(decoder) }
      unsafe next = next.map { unsafe $0 + 1 }
    }
    return unsafe decoders + [OSSL_ALGORITHM()]
  }

  /// A copy that is never freed.
  private static func kept<Element>(_ list: [Element]) -> UnsafePointer<Element> {
    let copy = UnsafeMutablePointer<Element>.allocate(capacity: list.count)
    for (index, element) in list.enumerated() { unsafe (copy + index).initialize(to: element) }
    return unsafe UnsafePointer(copy)
  }

  private typealias Function = @convention(c) () -> Void
  private typealias Query =
    @convention(c) (UnsafeMutableRawPointer?, Int32, UnsafeMutablePointer<Int32>?) -> UnsafePointer<OSSL_ALGORITHM>?
  private typealias Report = @convention(c) (UnsafePointer<OSSL_PARAM>?, UnsafeMutableRawPointer?) -> Int32
  private typealias Capabilities =
    @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, Report?, UnsafeMutableRawPointer?) -> Int32

  private static var query: Query {
    { _, operation, mustNotBeCached in
      guard operation != OSSL_OP_DECODER else { return unsafe provider?.keyDecoders }
      return unsafe OSSL_PROVIDER_query_operation(provider?.model, operation, mustNotBeCached)
    }
  }

  /// The groups of TLS are capabilities.
  private static var capabilities: Capabilities {
    { _, name, report, argument in unsafe OSSL_PROVIDER_get_capabilities(provider?.model, name, report, argument) }
  }
}

/// Our provider's objects are the model's, so it works in that one's context.
private func providerStarts(
  _ core: OpaquePointer?, _ offered: UnsafePointer<OSSL_DISPATCH>?,
  _ ours: UnsafeMutablePointer<UnsafePointer<OSSL_DISPATCH>?>?, _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> Int32 {
  unsafe ours?.pointee = provider?.functions
  unsafe context?.pointee = OSSL_PROVIDER_get0_provider_ctx(provider?.model)
  return 1
}
