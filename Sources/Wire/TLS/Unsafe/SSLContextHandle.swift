internal import COpenSSL
internal import TapelineSystem

/// Owns one `SSL_CTX`: the settings that all connections of one kind share.
struct SSLContextHandle: Sendable {
  private let object: OwnedObject

  enum Role {
    case client
    case server
  }

  init(_ role: Role, policy: TLSPolicy) throws(TLSError) {
    ErrorStack.clear()
    let made =
      switch role {
      case .client: unsafe SSL_CTX_new_ex(ServerLibrary.context, nil, TLS_client_method())
      case .server: unsafe SSL_CTX_new(TLS_server_method())
      }
    guard let context = unsafe made else {
      throw TLSError(.configuration, "OpenSSL made no context: \(ErrorStack.drain())")
    }
    unsafe object = OwnedObject(context, free: SSL_CTX_free)

    unsafe SSL_CTX_set_security_level(context, TLSPolicy.securityLevel)
    guard unsafe tapeline_ssl_context_set_minimum_version(context, Int32(policy.minimumVersion.rawValue)) == 1,
      unsafe tapeline_ssl_context_set_maximum_version(context, Int32(policy.maximumVersion.rawValue)) == 1,
      unsafe tapeline_ssl_context_set_groups(context, TLSPolicy.groups) == 1,
      unsafe SSL_CTX_set_ciphersuites(context, TLSPolicy.cipherSuites) == 1,
      unsafe SSL_CTX_set_cipher_list(context, TLSPolicy.cipherList) == 1
    else {
      throw TLSError(.configuration, "OpenSSL does not know our versions and cipher suites: \(ErrorStack.drain())")
    }
    unsafe SSL_CTX_set_options(context, tapeline_ssl_no_renegotiation | tapeline_ssl_no_compression)
    // An idle connection keeps no record buffers, which are 33 KiB.
    unsafe tapeline_ssl_context_add_mode(context, Int(SSL_MODE_RELEASE_BUFFERS))
    // The credentials contain the chain: OpenSSL does not look for one during a handshake.
    unsafe tapeline_ssl_context_add_mode(context, Int(SSL_MODE_NO_AUTO_CHAIN))
    unsafe SSL_CTX_set_info_callback(context, handshakeDidMove)

    switch role {
    case .client: configureClient()
    case .server: configureServer()
    }
  }

  /// Borrowed; it lives as long as the value.
  var pointer: OpaquePointer { unsafe object.pointer }

  private func configureClient() {
    // The caller keeps the sessions.
    unsafe tapeline_ssl_context_set_session_cache(pointer, Int(SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL_STORE))
    unsafe SSL_CTX_sess_set_new_cb(pointer, sessionWasMade)
    unsafe SSL_CTX_set_cert_cb(pointer, certificateIsAskedFor, nil)
    unsafe SSL_CTX_set_cert_verify_callback(pointer, serverShowedCertificate, nil)
    unsafe tapeline_ssl_context_set_stapling_callback(pointer, serverMayHaveStapled)
  }

  private func configureServer() {
    unsafe SSL_CTX_set_options(pointer, tapeline_ssl_server_preference)
    // Clients keep the sessions, in tickets; those of clients that take none are in `TLSServerContext.identified`.
    unsafe tapeline_ssl_context_set_session_cache(pointer, Int(SSL_SESS_CACHE_SERVER | SSL_SESS_CACHE_NO_INTERNAL))
    unsafe SSL_CTX_sess_set_new_cb(pointer, sessionWasGiven)
    unsafe SSL_CTX_sess_set_get_cb(pointer, sessionIsLookedFor)
    let identity: StaticString = "tapeline"
    let isSet = unsafe SSL_CTX_set_session_id_context(pointer, identity.utf8Start, UInt32(identity.utf8CodeUnitCount))
    precondition(isSet == 1, "OpenSSL takes a session context of at most 32 bytes")
    unsafe SSL_CTX_set_session_ticket_cb(pointer, ticketIsMade, nil, nil)
    unsafe tapeline_ssl_context_set_server_name_callback(pointer, serverNameIsAccepted)
    unsafe SSL_CTX_set_alpn_select_cb(pointer, applicationProtocolIsChosen, nil)
  }

  // MARK: Before it is shared

  /// - Parameter refuses: whether a certificate that fails verification ends the handshake; it is verified in any case.
  func verifyPeers(by anchors: TrustAnchors, refuses: Bool) {
    unsafe SSL_CTX_set1_cert_store(pointer, anchors.pointer)
    unsafe SSL_CTX_set_verify(pointer, refuses ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nil)
  }

  /// The protocols that a client offers, as the extension carries them.
  func offer(applicationProtocols: [UInt8]) {
    let status = unsafe SSL_CTX_set_alpn_protos(pointer, applicationProtocols, UInt32(applicationProtocols.count))
    precondition(status == 0, "OpenSSL refused a well-formed list of application protocols")
  }

  func logKeys() {
    unsafe SSL_CTX_set_keylog_callback(pointer, secretsWereMade)
  }
}

/// Owns one `X509_STORE`: the certificates that chains may end in.
struct TrustAnchors: Sendable {
  private let object: OwnedObject

  init() {
    guard let store = unsafe X509_STORE_new() else {
      preconditionFailure("OpenSSL has no memory for an X509_STORE")
    }
    unsafe object = OwnedObject(store, free: X509_STORE_free)
  }

  /// Borrowed; it lives as long as the value.
  var pointer: OpaquePointer { unsafe object.pointer }

  /// OpenSSL's default file and directory, or those that `SSL_CERT_FILE` and `SSL_CERT_DIR` name; where a linked OpenSSL comes
  /// from another system, and its default places do not exist here, the file in which this system keeps its roots.
  func addSystemRoots() throws(TLSError) {
    ErrorStack.clear()
    let environment = ProcessEnvironment.variables()
    let elsewhere = CertificateBundle.rootsElsewhere(
      environment: environment, defaults: [OpenSSLDefaults.rootFile, OpenSSLDefaults.rootDirectory])
    if let index = Self.index(of: elsewhere ?? environment["SSL_CERT_FILE"] ?? OpenSSLDefaults.rootFile) {
      unsafe index.attach(to: pointer)
      if elsewhere == nil { addRootDirectory() }
      return
    }
    let status =
      if let elsewhere {
        unsafe X509_STORE_load_file(pointer, elsewhere)
      } else {
        unsafe X509_STORE_set_default_paths(pointer)
      }
    guard status == 1 else {
      throw TLSError(.configuration, "the system's root certificates cannot be loaded: \(ErrorStack.drain())")
    }
  }

  private static func index(of file: String) -> RootIndex? {
    do throws(AuthorityError) {
      return try AuthorityFiles.readIfPresent(file).flatMap(RootIndex.init(pem:))
    } catch {
      // OpenSSL says what is wrong with it.
      return nil
    }
  }

  /// OpenSSL's default directory, or that of `SSL_CERT_DIR`, where the names of files begin with the digest of a subject.
  private func addRootDirectory() {
    guard let lookup = unsafe X509_STORE_add_lookup(pointer, X509_LOOKUP_hash_dir()) else {
      preconditionFailure("OpenSSL has no memory for a lookup")
    }
    unsafe X509_LOOKUP_ctrl(lookup, X509_L_ADD_DIR, nil, Int(X509_FILETYPE_DEFAULT), nil)
    ErrorStack.clear()
  }

  /// The certificates of a PEM file, which need not be roots: a chain may end in any of them.
  func add(file: String) throws(TLSError) {
    ErrorStack.clear()
    guard unsafe X509_STORE_load_file(pointer, file) == 1 else {
      throw TLSError(.configuration, "certificates cannot be loaded from \(file): \(ErrorStack.drain())")
    }
    acceptPartialChains()
  }

  /// Like `add(file:)`. Adding a certificate twice has no effect.
  func add(_ certificates: [X509Handle]) {
    guard !certificates.isEmpty else { return }
    for certificate in certificates {
      let status = unsafe X509_STORE_add_cert(pointer, certificate.pointer)
      precondition(status == 1, "OpenSSL has no memory for an anchor")
    }
    acceptPartialChains()
  }

  private func acceptPartialChains() {
    unsafe X509_STORE_set_flags(pointer, UInt(X509_V_FLAG_PARTIAL_CHAIN))
  }
}

/// The places where the linked OpenSSL looks for roots by default.
enum OpenSSLDefaults {
  static var rootFile: String {
    guard let path = unsafe X509_get_default_cert_file() else { return "" }
    return unsafe String(cString: path)
  }

  static var rootDirectory: String {
    guard let path = unsafe X509_get_default_cert_dir() else { return "" }
    return unsafe String(cString: path)
  }
}
