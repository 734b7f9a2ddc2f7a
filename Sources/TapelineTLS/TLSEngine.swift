/// One end of one TLS connection, without a socket: bytes in, bytes out. Bound to the loop that made it.
///
/// A handshake (`start`, `handshake`), then data (`receive`, `write`), then the two ends (`shutdownOutput`, `receiveEnd`).
/// Whatever is to be sent, but for what `write` and `shutdownOutput` append to their output, waits until `takeCiphertext`: look
/// after each handshake and receive, also when they have thrown, as an alert may wait there. After a throw the connection is
/// over, and every later call throws the same.
package final class TLSEngine {
  enum Side {
    case client(TLSClientContext, ServerName)
    case server(TLSServerContext)
  }

  package enum Input: Sendable {
    case open
    /// The peer's close_notify has come. Our direction stays open; all later input is ignored.
    case ended
  }

  let side: Side
  private let wire: CiphertextBIO
  let ssl: SSLHandle
  private var negotiated: TLSParameters?
  private var failure: TLSError?
  /// `nil`: OpenSSL judges the server.
  var evaluation: PeerEvaluation?
  /// Of the session that is offered.
  let offeredStapledResponse: [UInt8]?
  private var sessions: [TLSSession] = []
  private(set) var alertSent: TLSAlert?
  /// Of a server: what its tickets say.
  let lineage: UInt64
  private var isOutputShutDown = false
  /// Whether the peer's close_notify has come.
  private var wasEnded = false
  /// Of a server: whether our certificate has gone out, which it does not when a session is resumed.
  package private(set) var hasSentCertificate = false

  /// - Parameters:
  ///   - serverName: a name, which is asked for and looked for in the certificate, or an address without brackets, which is
  ///     only looked for.
  ///   - session: of an earlier connection by the same context to the same name, with the same credentials.
  ///   - credentials: shown if the server asks for any.
  ///   - evaluator: judges the server, also when a session is resumed; OpenSSL and the context's roots do without one.
  ///   - applicationProtocols: what is offered in place of the context's; empty: nothing.
  package init(
    client context: TLSClientContext, serverName: String, session: TLSSession? = nil, credentials: TLSCredentials? = nil,
    evaluator: PeerEvaluator? = nil, applicationProtocols: [ApplicationProtocol]? = nil
  ) throws(TLSError) {
    let name = ServerName(serverName)
    precondition(session == nil || session?.serverName == name.text, "a session is resumed with the server it came from")
    side = .client(context, name)
    lineage = 0
    evaluation = evaluator.map(PeerEvaluation.init)
    offeredStapledResponse = session?.stapledResponse
    wire = CiphertextBIO()
    ssl = try SSLHandle(context.handle, wire: wire)
    ssl.setOwner(self)
    try ssl.becomeClient(of: name)
    if let evaluator { ssl.refusePeers(askingForStapledResponse: evaluator.needsStapledResponse) }
    if let credentials { try ssl.present(credentials) }
    if let applicationProtocols { ssl.offer(applicationProtocols: ApplicationProtocol.encode(applicationProtocols)) }
    if let session { ssl.resume(session.handle) }
  }

  /// - Parameter lineage: is written into the tickets that the client gets: who resumes by one tells it again (`resumedLineage`).
  package init(server context: TLSServerContext, credentials: TLSCredentials, lineage: UInt64 = 0) throws(TLSError) {
    self.lineage = lineage
    side = .server(context)
    offeredStapledResponse = nil
    wire = CiphertextBIO()
    ssl = try SSLHandle(context.handle, wire: wire)
    ssl.setOwner(self)
    ssl.becomeServer()
    try ssl.present(credentials)
  }

  // MARK: Handshake

  package var isEstablished: Bool { negotiated != nil }

  /// What the handshake has led to. Not before it has.
  package var parameters: TLSParameters {
    guard let negotiated else { preconditionFailure("a connection has no parameters before its handshake has ended") }
    return negotiated
  }

  /// Makes a client's first bytes.
  package func start() throws(TLSError) {
    guard case .client = side else { preconditionFailure("a server waits for its client's first bytes") }
    try goOn()
  }

  /// Goes on with the handshake. Returns how many bytes of `ciphertext` it took: all of them, unless it has ended by them. Then
  /// the rest is for `receive`.
  package func handshake(_ ciphertext: Span<UInt8>) throws(TLSError) -> Int {
    precondition(!isEstablished, "a connection has one handshake")
    return try wire.withInput(ciphertext) { () throws(TLSError) in
      try goOn()
      return ciphertext.count - wire.inputCount
    }
  }

  /// Of a server that has read the client's hello: the lineage in the ticket by which the client resumes; `nil` when it does not.
  package var resumedLineage: UInt64? { ssl.resumedLineage }

  private func goOn() throws(TLSError) {
    if let failure { throw failure }
    switch ssl.handshake() {
    case .done:
      // Nothing that OpenSSL calls on the way comes with a session that is resumed.
      guard evaluatePeer() else { throw fail(refusal) }
      let isClient = if case .client = side { true } else { false }
      negotiated = ssl.parameters(isClient: isClient)
    case .wantsInput:
      break
    case .ended:
      wasEnded = true
      throw fail(TLSError(.truncated, "the peer closed the connection during the handshake"))
    case .failed:
      let failure = ssl.takeFailure(isEstablished: false, alertSent: alertSent)
      throw fail(evaluation?.refusal == nil ? failure : refusal)
    }
  }

  // MARK: Data

  /// Takes all of `ciphertext` and delivers what it holds, up to 64 KiB at a time, before it returns or throws. While it
  /// delivers, `write` and `shutdownOutput` may be called.
  package func receive(
    _ ciphertext: Span<UInt8>, using buffer: PlaintextBuffer, deliver: (Span<UInt8>) -> Void
  ) throws(TLSError) -> Input {
    precondition(isEstablished, "bytes are received after the handshake")
    if let failure { throw failure }
    if wasEnded { return .ended }
    return try wire.withInput(ciphertext) { () throws(TLSError) in
      try unsafe buffer.lend { storage throws(TLSError) in
        try unsafe receive(into: storage, deliver: deliver)
      }
    }
  }

  private func receive(
    into storage: UnsafeMutableRawBufferPointer, deliver: (Span<UInt8>) -> Void
  ) throws(TLSError) -> Input {
    var filled = 0
    func flush() {
      guard filled > 0 else { return }
      deliver(unsafe Span(_unsafeBytes: UnsafeRawBufferPointer(rebasing: storage[..<filled])))
      filled = 0
    }
    while true {
      switch unsafe ssl.read(into: UnsafeMutableRawBufferPointer(rebasing: storage[filled...])) {
      case .done(let count):
        filled += count
        if filled == storage.count { flush() }
        // Saves the read that would only say so.
        if wire.inputCount == 0, !ssl.hasPending {
          flush()
          return .open
        }
      case .wantsInput:
        flush()
        return .open
      case .ended:
        wasEnded = true
        flush()
        return .ended
      case .failed:
        let failure = fail(ssl.takeFailure(isEstablished: true, alertSent: alertSent))
        flush()
        throw failure
      }
    }
  }

  /// Appends records with all of `plaintext` to `output`, behind what waits to be sent.
  package func write(_ plaintext: Span<UInt8>, into output: inout [UInt8]) throws(TLSError) {
    precondition(isEstablished, "bytes are written after the handshake")
    precondition(!isOutputShutDown, "bytes were written after close_notify")
    if let failure { throw failure }
    guard !plaintext.isEmpty else { return }
    lendOutput(&output)
    defer { returnOutput(&output) }
    let step = unsafe plaintext.withUnsafeBytes { unsafe ssl.write($0) }
    switch step {
    case .done(let count):
      precondition(count == plaintext.count, "OpenSSL left bytes unwritten although the wire takes all")
    case .wantsInput, .ended, .failed:
      throw fail(ssl.takeFailure(isEstablished: true, alertSent: alertSent))
    }
  }

  // MARK: What waits to be sent

  package var hasCiphertext: Bool { !wire.output.isEmpty }

  /// Moves what waits to the end of `output`.
  package func takeCiphertext(into output: inout [UInt8]) {
    output.append(contentsOf: wire.output)
    // An idle connection keeps no storage.
    wire.output = []
  }

  /// Lets OpenSSL write to the caller's array itself, behind what waits.
  private func lendOutput(_ output: inout [UInt8]) {
    takeCiphertext(into: &output)
    swap(&output, &wire.output)
  }

  private func returnOutput(_ output: inout [UInt8]) {
    swap(&output, &wire.output)
  }

  // MARK: The two ends

  /// Appends close_notify. Idempotent; nothing is said on a connection that never was or is broken.
  package func shutdownOutput(into output: inout [UInt8]) {
    guard isEstablished, failure == nil, !isOutputShutDown else { return }
    isOutputShutDown = true
    lendOutput(&output)
    defer { returnOutput(&output) }
    ssl.shutdown()
  }

  /// The transport has ended. Whether an end without close_notify matters, who reads the bytes must say: not when their own
  /// framing shows that all are there.
  package func receiveEnd() throws(TLSError) {
    if let failure { throw failure }
    guard !wasEnded else { return }
    throw fail(
      TLSError(
        .truncated,
        isEstablished
          ? "the peer closed the connection without close_notify" : "the peer closed the connection during the handshake"))
  }

  private func fail(_ error: TLSError) -> TLSError {
    failure = error
    return error
  }

  // MARK: Sessions

  /// The latest session by which a client may resume. TLS 1.3 sends them after the handshake.
  package func takeSession() -> TLSSession? {
    sessions.popLast()
  }

  /// Sessions that nobody has taken yet.
  private static let sessionLimit = 4

  // MARK: Called by OpenSSL, inside the calls above

  func sessionDidCome(_ handle: SessionHandle) {
    guard case .client(_, let name) = side else { preconditionFailure("a server's sessions live in tickets") }
    if sessions.count == Self.sessionLimit { sessions.removeFirst() }
    sessions.append(TLSSession(serverName: name.text, handle: handle, stapledResponse: stapledResponse))
  }

  /// Which of the offered protocols, a list as the extension carries it, we speak.
  func applicationProtocol(among offered: Span<UInt8>) -> Range<Int>? {
    guard case .server(let context) = side else { preconditionFailure("only servers choose the application protocol") }
    let preferred = context.applicationProtocols
    return ApplicationProtocol.select(preferred.span, from: offered)
  }

  func fatalAlertDidLeave(_ alert: TLSAlert) {
    alertSent = alert
  }

  func certificateDidLeave() {
    hasSentCertificate = true
  }

  func secretsDidCome(_ line: String) {
    switch side {
    case .client(let context, _): context.keyLog?.append(line)
    case .server(let context): context.keyLog?.append(line)
    }
  }
}
