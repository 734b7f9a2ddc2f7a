internal import CTapeline
internal import TapelineBase

/// One end of one TLS connection, without a socket: bytes in, bytes out. Bound to the loop that made it.
///
/// A handshake (`start`, `handshake`), then data (`receive`, `write`), then the two ends (`shutdownOutput`, `receiveEnd`).
/// Bytes to send wait until `takeCiphertext`, except those that `write` and `shutdownOutput` append to their output. Call it
/// after each `handshake` and `receive`, even if they have thrown, because an alert may wait. After a throw the connection is
/// over, and every later call throws the same error.
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
  /// `nil` if OpenSSL judges the server.
  var evaluation: PeerEvaluation?
  /// The stapled response of the session that we offer.
  let offeredStapledResponse: [UInt8]?
  private var sessions: [TLSSession] = []
  private(set) var alertSent: TLSAlert?
  /// For a server: the value that its tickets carry, unless they are issued one by one.
  let lineage: UInt64
  /// For a server: the value that the next ticket carries.
  private(set) var ticketLineage: UInt64
  private var isOutputShutDown = false
  /// Plaintext that waits for the end of a renegotiation.
  private var held: [UInt8] = []
  /// For a client: whether the server has asked for a certificate, and we had none to show (RFC 8446 4.3.2, 4.6.2).
  package private(set) var lacksCertificate = false
  /// Whether the peer's close_notify has come.
  private var wasEnded = false
  /// For a server: whether our certificate was sent. A resumed session does not send it.
  package private(set) var hasSentCertificate = false
  /// For a server.
  private var choice: ProtocolChoice

  /// - Parameters:
  ///   - serverName: a name, which we send and check against the certificate, or an address without brackets, which we only
  ///     check.
  ///   - session: from an earlier connection by the same context to the same name, with the same credentials.
  ///   - credentials: presented if the server asks for any.
  ///   - evaluator: judges the server, also when a session is resumed. Without one, OpenSSL judges by the context's roots.
  ///   - applicationProtocols: offered in place of the context's; empty to offer none.
  ///   - manner: of the client for whom we connect: the server is to treat us like it.
  package init(
    client context: TLSClientContext, serverName: String, session: TLSSession? = nil, credentials: TLSCredentials? = nil,
    evaluator: PeerEvaluator? = nil, applicationProtocols: [ApplicationProtocol]? = nil, manner: HelloManner? = nil
  ) throws(TLSError) {
    let name = ServerName(serverName)
    precondition(session == nil || session?.serverName == name.text, "a session is resumed with the server it came from")
    side = .client(context, name)
    lineage = 0
    ticketLineage = 0
    choice = .byContext
    evaluation = evaluator.map(PeerEvaluation.init)
    offeredStapledResponse = session?.stapledResponse
    wire = CiphertextBIO()
    ssl = try SSLHandle(context.handle, wire: wire)
    ssl.setOwner(self)
    try ssl.becomeClient(of: name)
    if let evaluator { ssl.refusePeers(askingForStapledResponse: evaluator.needsStapledResponse) }
    if let credentials { try ssl.present(credentials) }
    if let manner { ssl.behave(manner) }
    if manner != nil || credentials != nil { ssl.allowRenegotiation() }
    if credentials != nil || manner?.authenticatesLater == true { ssl.offerLaterAuthentication() }
    if let applicationProtocols { ssl.offer(applicationProtocols: ApplicationProtocol.encode(applicationProtocols)) }
    if let session { ssl.resume(session.handle) }
  }

  /// - Parameters:
  ///   - lineage: goes into the tickets that the client gets; a client that resumes by a ticket returns it (`resumedLineage`).
  ///   - issuesTickets: whether a client that speaks TLS 1.3 gets tickets as the context makes them, and not by `issueTicket`.
  ///   - holdsProtocol: whether a client that offers application protocols gets no answer to its hello before `choose`.
  ///   - holdsHello: whether no client does.
  package convenience init(
    server context: TLSServerContext, credentials: TLSCredentials, lineage: UInt64 = 0, issuesTickets: Bool = true,
    holdsProtocol: Bool = false, holdsHello: Bool = false
  ) throws(TLSError) {
    try self.init(
      server: context, credentials: credentials, lineage: lineage,
      choice: holdsProtocol || holdsHello
        ? .awaited(HeldHello(credentials: credentials, holdsEveryClient: holdsHello)) : .byContext)
    if !issuesTickets { ssl.issueNoTickets() }
  }

  init(
    server context: TLSServerContext, credentials: TLSCredentials, lineage: UInt64, choice: ProtocolChoice
  ) throws(TLSError) {
    self.lineage = lineage
    ticketLineage = lineage
    self.choice = choice
    side = .server(context)
    offeredStapledResponse = nil
    wire = CiphertextBIO()
    ssl = try SSLHandle(context.handle, wire: wire)
    ssl.setOwner(self)
    ssl.becomeServer()
    try ssl.present(credentials)
  }

  // MARK: Handshake

  package var isEstablished: Bool {
    // Not `!= nil`, which copies all of the parameters.
    switch negotiated {
    case .some: true
    case .none: false
    }
  }

  /// The result of the handshake; available only after the handshake has ended.
  package var parameters: TLSParameters {
    guard let negotiated else { preconditionFailure("a connection has no parameters before its handshake has ended") }
    return negotiated
  }

  /// Makes a client's first bytes.
  package func start() throws(TLSError) {
    guard case .client = side else { preconditionFailure("a server waits for its client's first bytes") }
    try goOn()
  }

  /// Continues the handshake. Returns how many bytes of `ciphertext` it took: all of them, unless they completed the handshake.
  /// In that case, pass the rest to `receive`.
  package func handshake(_ ciphertext: Span<UInt8>) throws(TLSError) -> Int {
    precondition(!isEstablished, "a connection has one handshake")
    switch choice {
    case .byContext, .made, .probed: return try read(ciphertext)
    case .awaited(let hello):
      try hold(ciphertext, after: hello)
      return ciphertext.count
    }
  }

  private func read(_ ciphertext: Span<UInt8>) throws(TLSError) -> Int {
    try wire.withInput(ciphertext) { () throws(TLSError) in
      try goOn()
      return ciphertext.count - wire.inputCount
    }
  }

  /// For a server that has read the client's hello: the lineage in the ticket by which the client resumes; `nil` if it does not
  /// resume.
  package var resumedLineage: UInt64? {
    switch choice {
    case .byContext, .made: ssl.resumedLineage
    case .awaited(let hello): hello.resumedLineage
    // A client that offers no protocol is asked for none, and the probe goes on.
    case .probed(let lineage): lineage ?? ssl.resumedLineage
    }
  }

  private func goOn() throws(TLSError) {
    if let failure { throw failure }
    switch ssl.handshake() {
    case .done:
      // If a session is resumed, no callback of OpenSSL's has asked the evaluator yet.
      guard evaluatePeer() else { throw fail(refusal) }
      let isClient = if case .client = side { true } else { false }
      let parameters = ssl.parameters(isClient: isClient)
      // RFC 9113 9.2.1.
      if isClient, parameters.applicationProtocol == .http2 { ssl.refuseRenegotiation() }
      negotiated = parameters
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

  // MARK: The choice of an application protocol

  /// For a server: whether it leaves a client without an answer until `choose`.
  package var awaitsProtocol: Bool {
    switch choice {
    case .awaited: true
    case .byContext, .made, .probed: false
    }
  }

  /// The bytes of a client that get no answer until `choose`.
  package var heldBytes: [UInt8] {
    switch choice {
    case .awaited(let hello): hello.bytes
    case .byContext, .made, .probed: []
    }
  }

  /// Chooses the first of `protocols` that the client offers, while `awaitsProtocol`, and goes on with a handshake that has
  /// waited for it. If the client offers none of them, the handshake fails (RFC 7301 3.2).
  package func choose(_ protocols: [ApplicationProtocol]) throws(TLSError) {
    guard case .awaited(let hello) = choice else { preconditionFailure("a protocol is chosen once, where the choice is awaited") }
    choice = .made(ApplicationProtocol.encode(protocols))
    try answer(hello)
  }

  private func hold(_ ciphertext: Span<UInt8>, after hello: HeldHello) throws(TLSError) {
    if let failure { throw failure }
    guard case .server(let context) = side else { preconditionFailure("only servers choose the application protocol") }
    var hello = hello
    switch hello.append(ciphertext, to: context) {
    case .held:
      choice = .awaited(hello)
    case .hasNoChoice:
      choice = .byContext
      try answer(hello)
    case .tooLong:
      throw fail(TLSError(.protocolViolation, "the client sent too much before its hello was answered"))
    }
  }

  private func answer(_ hello: HeldHello) throws(TLSError) {
    guard !hello.bytes.isEmpty else { return }
    let used = try read(hello.bytes.span)
    precondition(used == hello.bytes.count && !isEstablished, "a client that was not answered completed its handshake")
  }

  // MARK: Data

  /// Takes all of `ciphertext` and delivers what it holds, up to 64 KiB at a time, before it returns or throws. While it
  /// delivers, `write` and `shutdownOutput` may be called.
  package func receive(
    _ ciphertext: Span<UInt8>, using buffer: PlaintextBuffer, deliver: (Span<UInt8>) -> Void
  ) throws(TLSError) -> Input {
    tapeline_trap_in_tls()
    precondition(isEstablished, "bytes are received after the handshake")
    if let failure { throw failure }
    if wasEnded { return .ended }
    return try wire.withInput(ciphertext) { () throws(TLSError) in
      try buffer.reserved { () throws(TLSError) in try decrypt(into: buffer, deliver: deliver) }
    }
  }

  /// Whether the bytes delivered last end with the end of what was received.
  package var hasUsedInput: Bool { wire.inputCount == 0 && !ssl.hasPending }

  private func decrypt(into buffer: PlaintextBuffer, deliver: (Span<UInt8>) -> Void) throws(TLSError) -> Input {
    while true {
      switch buffer.read(from: ssl) {
      case .done:
        if buffer.isFull { buffer.flush(to: deliver) }
        if !held.isEmpty { try writeHeld() }
        // Saves a read that would only report that there is no more input.
        if hasUsedInput {
          buffer.flush(to: deliver)
          return .open
        }
      case .wantsInput:
        if !held.isEmpty { try writeHeld() }
        buffer.flush(to: deliver)
        return .open
      case .ended:
        wasEnded = true
        buffer.flush(to: deliver)
        return .ended
      case .failed:
        let failure = fail(ssl.takeFailure(isEstablished: true, alertSent: alertSent))
        buffer.flush(to: deliver)
        throw failure
      }
    }
  }

  /// Appends records with all of `plaintext` to `output`, after the bytes that wait to be sent.
  package func write(_ plaintext: Span<UInt8>, into output: inout [UInt8]) throws(TLSError) {
    precondition(isEstablished, "bytes are written after the handshake")
    precondition(!isOutputShutDown, "bytes were written after close_notify")
    if let failure { throw failure }
    guard !plaintext.isEmpty else { return }
    guard held.isEmpty else { return held.append(bytes: plaintext) }
    lendOutput(&output)
    defer { returnOutput(&output) }
    try seal(plaintext)
  }

  private func seal(_ plaintext: Span<UInt8>) throws(TLSError) {
    switch ssl.write(plaintext) {
    case .done(let count):
      precondition(count == plaintext.count, "OpenSSL left bytes unwritten although the wire takes all")
    case .wantsInput:
      // The server renegotiates. Its next messages come first.
      held.append(bytes: plaintext)
    case .ended, .failed:
      throw fail(ssl.takeFailure(isEstablished: true, alertSent: alertSent))
    }
  }

  /// The renegotiation may be over.
  private func writeHeld() throws(TLSError) {
    guard ssl.isInitialized else { return }
    let bytes = held
    held = []
    try seal(bytes.span)
  }

  // MARK: What waits to be sent

  package var hasCiphertext: Bool { !wire.output.isEmpty }

  /// Moves the waiting bytes to the end of `output`.
  package func takeCiphertext(into output: inout [UInt8]) {
    output.append(contentsOf: wire.output)
    // An idle connection keeps no storage.
    wire.output = []
  }

  /// Lets OpenSSL write directly to the caller's array, after the waiting bytes.
  private func lendOutput(_ output: inout [UInt8]) {
    takeCiphertext(into: &output)
    swap(&output, &wire.output)
  }

  private func returnOutput(_ output: inout [UInt8]) {
    swap(&output, &wire.output)
  }

  // MARK: The two ends

  /// Appends close_notify. Idempotent; does nothing on a connection that was never established or is broken.
  package func shutdownOutput(into output: inout [UInt8]) {
    guard isEstablished, failure == nil, !isOutputShutDown else { return }
    isOutputShutDown = true
    lendOutput(&output)
    defer { returnOutput(&output) }
    ssl.shutdown()
  }

  /// The transport has ended. The caller decides whether a missing close_notify matters: it does not if the framing of the data
  /// shows that all bytes arrived.
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

  /// The latest session by which a client may resume. TLS 1.3 servers send sessions after the handshake.
  package func takeSession() -> TLSSession? {
    sessions.popLast()
  }

  /// For a server: gives the client a ticket that carries `lineage`. Nothing happens before TLS 1.3, where a ticket comes in the
  /// handshake.
  package func issueTicket(_ lineage: UInt64) {
    guard failure == nil, !isOutputShutDown, negotiated?.version == .tls13 else { return }
    ticketLineage = lineage
    ssl.issueTicket()
  }

  /// The most sessions that are kept until somebody takes them.
  private static let sessionLimit = 4

  // MARK: Called by OpenSSL, inside the calls above

  func sessionDidCome(_ handle: SessionHandle) {
    guard case .client(_, let name) = side else { preconditionFailure("a server's sessions live in tickets") }
    if sessions.count == Self.sessionLimit { sessions.removeFirst() }
    sessions.append(TLSSession(serverName: name.text, handle: handle, stapledResponse: stapledResponse))
  }

  func sessionWasGiven(_ session: SessionHandle) {
    guard case .server(let context) = side else { preconditionFailure("only servers give sessions") }
    context.keep(session)
  }

  func session(named identifier: [UInt8]) -> SessionHandle? {
    guard case .server(let context) = side else { preconditionFailure("only servers look for sessions") }
    return context.session(named: identifier)
  }

  /// The range of the protocol that we choose among `offered`, a list as the extension carries it.
  func applicationProtocol(among offered: Span<UInt8>) -> Range<Int>? {
    guard case .server(let context) = side else { preconditionFailure("only servers choose the application protocol") }
    switch choice {
    case .byContext:
      let preferred = context.applicationProtocols
      return ApplicationProtocol.select(preferred.span, from: offered)
    case .made(let preferred):
      return ApplicationProtocol.select(preferred.span, from: offered)
    case .probed:
      choice = .probed(ssl.resumedLineage)
      return nil
    case .awaited:
      preconditionFailure("a hello is held until its protocol is chosen")
    }
  }

  func certificateWasAskedFor(isThere: Bool) {
    lacksCertificate = !isThere
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
