internal import TapelineBase

/// How a server comes to an application protocol.
enum ProtocolChoice {
  /// By the context's preferences.
  case byContext
  /// Its owner will say; OpenSSL has not seen any byte of the client's yet.
  case awaited(HeldHello)
  /// Its owner has said: names in order of preference, as the extension carries them.
  case made([UInt8])
  /// Not at all: the handshake ends where the protocol would be chosen. The lineage that the client would have resumed.
  case probed(UInt64?)
}

/// A client's first bytes, until the protocol of the answer is chosen.
///
/// OpenSSL accepts or refuses a client's ticket and asks for the application protocol in one step, which cannot be suspended: its
/// callback for hellos comes before the ticket is read, and in TLS 1.3 the one for certificates after the protocol is chosen. So
/// the hello waits here. Whether it resumes is found out by a second connection, which reads the hello and refuses all protocols.
struct HeldHello {
  enum State {
    /// It is incomplete, or waits for the choice.
    case held
    /// The client leaves no choice, because it does not offer a protocol or does not speak TLS.
    case hasNoChoice
    case tooLong
  }

  let credentials: TLSCredentials
  /// Whether a client that offers no protocol waits, too.
  let holdsEveryClient: Bool
  private(set) var bytes: [UInt8] = []
  /// As `TLSEngine.resumedLineage`.
  private(set) var resumedLineage: UInt64?
  private var isComplete = false

  /// Nothing follows a hello that was not answered, except the beginning of data that we never accept.
  private static let sizeLimit = 2 * HandshakeMessage.sizeLimit

  init(credentials: TLSCredentials, holdsEveryClient: Bool = false) {
    self.credentials = credentials
    self.holdsEveryClient = holdsEveryClient
  }

  mutating func append(_ ciphertext: Span<UInt8>, to context: TLSServerContext) -> State {
    bytes.append(bytes: ciphertext)
    guard bytes.count <= Self.sizeLimit else { return .tooLong }
    if isComplete { return .held }
    switch ClientHello.peek(bytes.span) {
    case .needsMore:
      return .held
    case .notTLS, .malformed:
      return .hasNoChoice
    case .hello(let hello):
      if hello.applicationProtocols.isEmpty, !holdsEveryClient { return .hasNoChoice }
      isComplete = true
      if hello.offersToResume { resumedLineage = probe(context) }
      return .held
    }
  }

  private func probe(_ context: TLSServerContext) -> UInt64? {
    do throws(TLSError) {
      let probe = try TLSEngine(server: context, credentials: credentials, lineage: 0, choice: .probed(nil))
      do throws(TLSError) {
        _ = try probe.handshake(bytes.span)
      } catch {
        // That is how a probe ends.
      }
      return probe.resumedLineage
    } catch {
      // The handshake itself will fail in the same way.
      return nil
    }
  }
}
