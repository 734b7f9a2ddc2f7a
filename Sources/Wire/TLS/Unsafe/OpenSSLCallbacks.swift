internal import COpenSSL

// OpenSSL calls these functions inside an engine's call and on its thread. They are at file scope because a closure literal would
// take on the isolation of the place where it is written. Each turns its context, which was passed without being retained, back
// into the object that owns the connection.

// MARK: The wire

/// `BIO_read_ex`: an empty wire is not the end, only a reason to retry.
func ciphertextIsWanted(
  _ bio: OpaquePointer?, _ destination: UnsafeMutablePointer<CChar>?, _ capacity: Int, _ count: UnsafeMutablePointer<Int>?
) -> Int32 {
  let taken = unsafe withWire(of: bio) { wire in
    unsafe wire.read(into: UnsafeMutableRawBufferPointer(start: destination, count: capacity))
  }
  unsafe count?.pointee = taken
  unsafe BIO_clear_flags(bio, tapeline_bio_retry_flags)
  if taken == 0 { unsafe BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY) }
  return taken == 0 ? 0 : 1
}

/// `BIO_write_ex`: always takes all bytes.
func ciphertextWasMade(
  _ bio: OpaquePointer?, _ bytes: UnsafePointer<CChar>?, _ length: Int, _ count: UnsafeMutablePointer<Int>?
) -> Int32 {
  unsafe withWire(of: bio) { wire in unsafe wire.write(UnsafeRawBufferPointer(start: bytes, count: length)) }
  unsafe count?.pointee = length
  return 1
}

/// `BIO_ctrl`: there is nothing to flush; other commands are unknown.
func ciphertextControl(_: OpaquePointer?, _ command: Int32, _: Int, _: UnsafeMutableRawPointer?) -> Int {
  command == BIO_CTRL_FLUSH ? 1 : 0
}

/// OpenSSL calls back only inside calls of the engine, which holds the wire: no count of references is needed.
private func withWire<Result>(of bio: OpaquePointer?, _ body: (CiphertextBIO) -> Result) -> Result {
  guard let context = unsafe BIO_get_data(bio) else {
    preconditionFailure("OpenSSL called back for a BIO without its context")
  }
  return unsafe Unmanaged<CiphertextBIO>.fromOpaque(context)._withUnsafeGuaranteedRef(body)
}

// MARK: The connection

/// A client may resume by `session` later. Returns 1 because we keep the reference that OpenSSL passes.
func sessionWasMade(_ ssl: OpaquePointer?, _ session: OpaquePointer?) -> Int32 {
  guard let session = unsafe session else { preconditionFailure("OpenSSL announced a session without passing it") }
  unsafe engine(of: ssl).sessionDidCome(SessionHandle(owning: session))
  return 1
}

/// A server has made a session. Returns 0, which leaves the reference to OpenSSL: what is kept is a copy.
func sessionWasGiven(_ ssl: OpaquePointer?, _ session: OpaquePointer?) -> Int32 {
  // TLS 1.3 has tickets alone.
  guard unsafe SSL_SESSION_get_protocol_version(session) < Int32(TLSVersion.tls13.rawValue) else { return 0 }
  var lineage = unsafe engine(of: ssl).lineage
  _ = unsafe withUnsafeBytes(of: &lineage) { bytes in
    unsafe SSL_SESSION_set1_ticket_appdata(session, bytes.baseAddress, bytes.count)
  }
  if let copy = unsafe SSL_SESSION_dup(session) { unsafe engine(of: ssl).sessionWasGiven(SessionHandle(owning: copy)) }
  return 0
}

/// A client names a session. The caller gets a reference of its own.
func sessionIsLookedFor(
  _ ssl: OpaquePointer?, _ identifier: UnsafePointer<UInt8>?, _ count: Int32, _ keepsReference: UnsafeMutablePointer<Int32>?
) -> OpaquePointer? {
  unsafe keepsReference?.pointee = 0
  let bytes = unsafe Array(UnsafeBufferPointer(start: identifier, count: Int(count)))
  return unsafe engine(of: ssl).session(named: bytes)?.release()
}

/// A server chooses among the protocols that the client offers. If none is shared, the handshake ends (RFC 7301 3.2).
func applicationProtocolIsChosen(
  _ ssl: OpaquePointer?, _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ chosenCount: UnsafeMutablePointer<UInt8>?,
  _ offered: UnsafePointer<UInt8>?, _ offeredCount: UInt32, _: UnsafeMutableRawPointer?
) -> Int32 {
  let list = unsafe UnsafeBufferPointer(start: offered, count: Int(offeredCount))
  guard let choice = unsafe engine(of: ssl).applicationProtocol(among: list.span) else { return SSL_TLSEXT_ERR_ALERT_FATAL }
  let name = list.extracting(choice)
  unsafe chosen?.pointee = name.baseAddress
  unsafe chosenCount?.pointee = UInt8(name.count)
  return SSL_TLSEXT_ERR_OK
}

/// The server has presented its certificate to us as a client. OpenSSL judges it unless the connection has an evaluator.
func serverShowedCertificate(_ context: OpaquePointer?, _: UnsafeMutableRawPointer?) -> Int32 {
  let ssl = unsafe OpaquePointer(X509_STORE_CTX_get_ex_data(context, SSL_get_ex_data_X509_STORE_CTX_idx()))
  switch unsafe engine(of: ssl).certificateDidCome() {
  case nil:
    // A value less than 0 would ask for another call.
    return unsafe max(X509_verify_cert(context), 0)
  case .accepted:
    unsafe X509_STORE_CTX_set_error(context, X509_V_OK)
    return 1
  case .refused(let problem):
    unsafe X509_STORE_CTX_set_error(context, problem?.verifyResult ?? X509_V_ERR_CERT_REJECTED)
    return 0
  }
}

/// The server asks us for a certificate: in the handshake, in a later one, or between. Goes on with what we have.
func certificateIsAskedFor(_ ssl: OpaquePointer?, _: UnsafeMutableRawPointer?) -> Int32 {
  let isThere = unsafe SSL_get_certificate(ssl) != nil
  unsafe engine(of: ssl).certificateWasAskedFor(isThere: isThere)
  return 1
}

/// The server has had its chance to staple. Nothing else that a client receives is of interest here.
func serverMayHaveStapled(_ ssl: OpaquePointer?, _: UnsafeMutableRawPointer?) -> Int32 {
  unsafe engine(of: ssl).stapledResponseDidCome() ? 1 : 0
}

/// We accept any name: the credentials were made for it. Without this answer OpenSSL forgets the name when a session is resumed.
func serverNameIsAccepted(_: OpaquePointer?, _: UnsafeMutablePointer<Int32>?, _: UnsafeMutableRawPointer?) -> Int32 {
  SSL_TLSEXT_ERR_OK
}

/// A server makes a ticket: we write its lineage into it.
func ticketIsMade(_ ssl: OpaquePointer?, _: UnsafeMutableRawPointer?) -> Int32 {
  var lineage = unsafe engine(of: ssl).ticketLineage
  return unsafe withUnsafeBytes(of: &lineage) { bytes in
    unsafe SSL_SESSION_set1_ticket_appdata(SSL_get_session(ssl), bytes.baseAddress, bytes.count)
  }
}

/// The handshake advanced by a step, or an alert was sent or received. For alerts `value` is the level and the description.
func handshakeDidMove(_ ssl: OpaquePointer?, _ place: Int32, _ value: Int32) {
  if place == SSL_CB_WRITE_ALERT {
    let isFatal = value >> 8 == SSL3_AL_FATAL
    if isFatal { unsafe engine(of: ssl).fatalAlertDidLeave(TLSAlert(code: UInt8(truncatingIfNeeded: value))) }
  } else if place == SSL_CB_ACCEPT_LOOP, unsafe SSL_get_state(ssl) == TLS_ST_SW_CERT {
    unsafe engine(of: ssl).certificateDidLeave()
  }
}

/// A line for the key log, without its line break.
func secretsWereMade(_ ssl: OpaquePointer?, _ line: UnsafePointer<CChar>?) {
  guard let line = unsafe line else { return }
  unsafe engine(of: ssl).secretsDidCome(String(cString: line))
}

/// The slot in which a connection keeps its engine; OpenSSL reserves it for applications (`SSL_set_app_data`).
let engineSlot: Int32 = 0

private func engine(of ssl: OpaquePointer?) -> TLSEngine {
  guard let context = unsafe SSL_get_ex_data(ssl, engineSlot) else {
    preconditionFailure("OpenSSL called back for a connection without its engine")
  }
  return unsafe Unmanaged<TLSEngine>.fromOpaque(context).takeUnretainedValue()
}
