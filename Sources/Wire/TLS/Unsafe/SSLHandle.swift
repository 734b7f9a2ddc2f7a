internal import COpenSSL

/// Owns one `SSL`: one end of one connection.
///
/// Each call clears this thread's error queue first. After a failure, `takeFailure` reads the cause from the queue at once.
@safe
struct SSLHandle: ~Copyable {
  let pointer: OpaquePointer

  /// The result of a call.
  enum Step {
    /// The call is done; for reads and writes, with the number of bytes.
    case done(Int)
    /// All input is read, and the call needs more.
    case wantsInput
    /// The peer's close_notify has come.
    case ended
    case failed
  }

  /// A connection over `wire`, which must outlive it.
  init(_ context: SSLContextHandle, wire: CiphertextBIO) throws(TLSError) {
    ErrorStack.clear()
    guard let ssl = unsafe SSL_new(context.pointer) else {
      throw TLSError(.configuration, "OpenSSL made no connection: \(ErrorStack.drain())")
    }
    unsafe pointer = unsafe ssl
    // One BIO for both directions, hence one reference.
    let bio = unsafe wire.makeBIO()
    unsafe SSL_set_bio(ssl, bio, bio)
  }

  deinit {
    // OpenSSL marks the session of a connection that ends without close_notify as broken. The caller decides about truncation.
    if unsafe SSL_is_init_finished(pointer) == 1 {
      unsafe SSL_set_shutdown(pointer, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
    }
    unsafe SSL_free(pointer)
  }

  // MARK: Before the handshake

  /// The engine that gets the callbacks. Not retained: it owns this handle.
  func setOwner(_ engine: TLSEngine) {
    unsafe SSL_set_ex_data(pointer, engineSlot, Unmanaged.passUnretained(engine).toOpaque())
  }

  func becomeServer() {
    unsafe SSL_set_accept_state(pointer)
  }

  /// The server that a client asks for, and that the certificate must be for. Names come from SAN entries only: RFC 2818's
  /// successors ignore the subject's common name (RFC 9110 4.3.4).
  func becomeClient(of name: ServerName) throws(TLSError) {
    ErrorStack.clear()
    unsafe SSL_set_connect_state(pointer)
    let parameters = unsafe SSL_get0_param(pointer)
    let isAccepted: Bool
    switch name {
    case .name(let text):
      unsafe X509_VERIFY_PARAM_set_hostflags(
        parameters, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT))
      isAccepted =
        unsafe !text.isEmpty && X509_VERIFY_PARAM_set1_host(parameters, text, text.utf8.count) == 1
        && tapeline_ssl_set_server_name(pointer, text) == 1
    case .address(let text):
      isAccepted = unsafe X509_VERIFY_PARAM_set1_ip_asc(parameters, text) == 1
    }
    guard isAccepted else {
      throw TLSError(.configuration, "\"\(name.text)\" is no server name: \(ErrorStack.drain())")
    }
  }

  /// Says what a client with this manner says.
  func behave(_ manner: HelloManner) {
    let newest = max(manner.newestVersion, .tls12)
    if newest < .tls13 {
      let status = unsafe tapeline_ssl_set_maximum_version(pointer, Int32(newest.rawValue))
      precondition(status == 1, "OpenSSL speaks the versions of our policy")
    }
    if !manner.takesTickets { unsafe SSL_set_options(pointer, tapeline_ssl_no_ticket) }
  }

  /// Lets the server ask for another handshake (RFC 5246 7.4.1.1), as servers do that want a certificate for some resources.
  func allowRenegotiation() {
    unsafe SSL_clear_options(pointer, tapeline_ssl_no_renegotiation)
  }

  func refuseRenegotiation() {
    unsafe SSL_set_options(pointer, tapeline_ssl_no_renegotiation)
  }

  /// Lets the server ask for a certificate after the handshake (RFC 8446 4.2.6).
  func offerLaterAuthentication() {
    unsafe SSL_set_post_handshake_auth(pointer, 1)
  }

  /// Whether no handshake is in progress.
  var isInitialized: Bool { unsafe SSL_is_init_finished(pointer) == 1 }

  /// Offers to resume. If OpenSSL cannot use the session, it does not offer it, and the handshake is a full one.
  func resume(_ session: SessionHandle) {
    ErrorStack.clear()
    unsafe SSL_set_session(pointer, session.pointer)
  }

  /// The protocols that a client offers in place of its context's list, as the extension carries them; empty: no extension (RFC
  /// 7301 3.1).
  func offer(applicationProtocols: [UInt8]) {
    let status = unsafe SSL_set_alpn_protos(pointer, applicationProtocols, UInt32(applicationProtocols.count))
    precondition(status == 0, "OpenSSL refused a well-formed list of application protocols")
  }

  /// Has the client get tickets by `issueTicket` alone, in TLS 1.3.
  func issueNoTickets() {
    unsafe SSL_set_num_tickets(pointer, 0)
  }

  /// Makes a ticket, after the handshake of TLS 1.3.
  func issueTicket() {
    ErrorStack.clear()
    if unsafe SSL_new_session_ticket(pointer) == 1 { unsafe SSL_do_handshake(pointer) }
  }

  /// The lineage in the ticket by which the client resumes; known once the client's hello has been read.
  var resumedLineage: UInt64? {
    guard unsafe SSL_session_reused(pointer) == 1, let session = unsafe SSL_get_session(pointer) else { return nil }
    var data: UnsafeMutableRawPointer?
    var count = 0
    guard unsafe SSL_SESSION_get0_ticket_appdata(session, &data, &count) == 1, count == MemoryLayout<UInt64>.size else {
      return nil
    }
    return unsafe data?.loadUnaligned(as: UInt64.self)
  }

  // MARK: Handshake and data

  func handshake() -> Step {
    ErrorStack.clear()
    return step(unsafe SSL_do_handshake(pointer), 0)
  }

  /// Decrypts the available input, at most one record.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Step {
    ErrorStack.clear()
    var count = 0
    let status = unsafe SSL_read_ex(pointer, buffer.baseAddress, buffer.count, &count)
    return step(status, count)
  }

  /// Whether OpenSSL holds bytes that it has read and not delivered, even if only a part of a record.
  var hasPending: Bool { unsafe SSL_has_pending(pointer) == 1 }

  /// Encrypts all of `plaintext`, which is not empty: the wire takes all bytes.
  func write(_ plaintext: Span<UInt8>) -> Step {
    ErrorStack.clear()
    var count = 0
    let status = unsafe plaintext.withUnsafeBytes { unsafe SSL_write_ex(pointer, $0.baseAddress, $0.count, &count) }
    return step(status, count)
  }

  /// Sends close_notify. The other direction stays open.
  func shutdown() {
    ErrorStack.clear()
    unsafe SSL_shutdown(pointer)
  }

  private func step(_ status: Int32, _ count: Int) -> Step {
    if status == 1 { return .done(count) }
    return switch unsafe SSL_get_error(pointer, status) {
    case SSL_ERROR_WANT_READ: .wantsInput
    case SSL_ERROR_ZERO_RETURN: .ended
    default: .failed
    }
  }

  // MARK: Questions

  /// Why the last call failed.
  func takeFailure(isEstablished: Bool, alertSent: TLSAlert?) -> TLSError {
    let entries = ErrorStack.drainEntries()
    let text = ErrorStack.text(of: entries)
    if let cause = entries.first, cause.library == ERR_LIB_SSL, cause.reason == SSL_R_CERTIFICATE_VERIFY_FAILED,
      let problem = verificationProblem
    {
      let reason = CertificateProblem.text(ofVerifyResult: unsafe SSL_get_verify_result(pointer))
      let certificate = unsafe tapeline_ssl_presented_certificate(pointer)
      return TLSError(
        .certificate(problem), "\(text): \(reason)",
        certificate: unsafe certificate.map { unsafe CertificateSummary(reading: $0) }, alertSent: alertSent)
    }
    return TLSError(TLSError.Kind(entries.first, isEstablished: isEstablished), text, alertSent: alertSent)
  }

  private var verificationProblem: CertificateProblem? {
    CertificateProblem(verifyResult: unsafe SSL_get_verify_result(pointer))
  }

  /// After the handshake.
  func parameters(isClient: Bool) -> TLSParameters {
    guard let version = unsafe TLSVersion(rawValue: UInt16(truncatingIfNeeded: SSL_version(pointer))),
      let cipher = unsafe SSL_CIPHER_standard_name(SSL_get_current_cipher(pointer))
    else { preconditionFailure("a handshake ended without a version and a cipher suite") }

    var chosen: UnsafePointer<UInt8>?
    var chosenCount: UInt32 = 0
    unsafe SSL_get0_alpn_selected(pointer, &chosen, &chosenCount)
    let bytes = unsafe UnsafeBufferPointer(start: chosen, count: Int(chosenCount))
    let protocolName = unsafe String(decoding: bytes, as: UTF8.self)

    let serverName = unsafe SSL_get_servername(pointer, TLSEXT_NAMETYPE_host_name)
    let certificate = unsafe isClient ? SSL_get0_peer_certificate(pointer) : nil
    return unsafe TLSParameters(
      version: version, cipher: String(cString: cipher),
      applicationProtocol: protocolName.isEmpty ? nil : ApplicationProtocol(name: protocolName),
      serverName: serverName.map { unsafe String(cString: $0) }, isResumed: SSL_session_reused(pointer) == 1,
      verification: isClient ? verificationProblem.map { .unverified($0) } ?? .verified : .notAsked,
      certificate: certificate.map { unsafe CertificateSummary(reading: $0) })
  }
}

extension SSLHandle {
  /// The credentials that a server presents. OpenSSL takes its own references.
  func present(_ credentials: TLSCredentials) throws(TLSError) {
    ErrorStack.clear()
    let isPresented = unsafe credentials.withUnsafeHandles { leaf, key, chain in
      unsafe SSL_use_certificate(pointer, leaf) == 1 && SSL_use_PrivateKey(pointer, key) == 1
        && chain.allSatisfy { unsafe tapeline_ssl_add_chain_certificate(pointer, $0) == 1 }
    }
    guard isPresented else {
      throw TLSError(.configuration, "the certificate cannot be used: \(ErrorStack.drain())")
    }
  }

  /// Ends the handshake if the server is not accepted, whatever the context's setting.
  func refusePeers(askingForStapledResponse asks: Bool) {
    unsafe SSL_set_verify(pointer, SSL_VERIFY_PEER, nil)
    if asks { unsafe tapeline_ssl_ask_for_stapled_response(pointer) }
  }

  var version: TLSVersion {
    guard let version = unsafe TLSVersion(rawValue: UInt16(truncatingIfNeeded: SSL_version(pointer))) else {
      preconditionFailure("OpenSSL chose a version that it was not told")
    }
    return version
  }

  var isResumed: Bool { unsafe SSL_session_reused(pointer) == 1 }

  /// The certificates that the server sent, its own first: known before they are verified, and remembered in sessions.
  var presentedChain: [X509Handle] {
    let chain = unsafe SSL_get_peer_cert_chain(pointer)
    return unsafe X509Stack.certificates(in: chain)
  }

  var presentedCertificate: CertificateSummary? {
    unsafe tapeline_ssl_presented_certificate(pointer).map { unsafe CertificateSummary(reading: $0) }
  }

  /// The response that the server stapled in this handshake (RFC 6066 8), DER.
  var stapledResponse: [UInt8]? {
    var bytes: UnsafePointer<UInt8>?
    let count = unsafe tapeline_ssl_stapled_response(pointer, &bytes)
    guard count > 0, let bytes = unsafe bytes else { return nil }
    return unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
  }
}
