package import TapelineTLS

/// Refuses servers with a certificate that is known to be revoked.
///
/// The sources are the response that the server staples and the lists that are given. Nothing is fetched. A server that staples
/// nothing and is on no list passes, unless ``Options/requirePositiveResponse`` is set, or its certificate says that it must be
/// stapled (RFC 7633).
public struct RevocationTrustEvaluator: ServerTrustEvaluating {
  /// Which sources are asked, and whether one must answer.
  public struct Options: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Makes a set of options from their bits.
    public init(rawValue: UInt) {
      self.rawValue = rawValue
    }

    /// Asks the server to staple a response (RFC 6066 8, RFC 6960), which is about its own certificate.
    public static let ocsp = Options(rawValue: 1)
    /// Looks at the lists that were given (RFC 5280 5), which are about all certificates of the chain.
    public static let crl = Options(rawValue: 2)
    /// Refuses the server unless a source says that it is good: a stapled response, or lists for the whole chain.
    public static let requirePositiveResponse = Options(rawValue: 4)
    /// Both sources; the server passes if neither says anything.
    public static let any: Options = [.ocsp, .crl]
  }

  private let performDefaultValidation: Bool
  private let validateHost: Bool
  private let options: Options
  private let lists: [RevocationListHandle]

  /// - Parameters:
  ///   - performDefaultValidation: whether a chain that is not valid for other reasons is reported separately, as
  ///     `defaultEvaluationFailed`. It is refused in any case, because no authority is known that may revoke.
  ///   - validateHost: whether the certificate must be for the host, too.
  ///   - options: which sources are asked.
  ///   - revocationLists: looked at if `options` has `.crl`.
  public init(
    performDefaultValidation: Bool = true, validateHost: Bool = true, options: Options = .any,
    revocationLists: [RevocationList] = []
  ) {
    self.performDefaultValidation = performDefaultValidation
    self.validateHost = validateHost
    self.options = options
    lists = options.contains(.crl) ? revocationLists.map(\.handle) : []
  }

  /// Whether `options` has `.ocsp`.
  public var needsStapledResponse: Bool { options.contains(.ocsp) }

  /// Throws if a certificate is known to be revoked, or if no source says that it is good and one must.
  public func evaluate(_ trust: ServerTrust, forHost host: String) throws {
    if performDefaultValidation { try trust.performDefaultValidation(forHost: host) }
    if validateHost { try trust.performValidation(forHost: host) }
    do throws(ChainError) {
      try check(trust)
    } catch {
      throw TapelineError.serverTrust(.revocationCheckFailed(host: host, problem: ServerTrustProblem(error)))
    }
  }

  private func check(_ trust: ServerTrust) throws(ChainError) {
    let certificates = trust.certificates.map(\.handle)
    let chain = try trust.store.chain(of: certificates, revocation: lists.isEmpty ? .unchecked : .listed(lists))
    switch stapledStatus(of: chain, in: trust) {
    case .good:
      return
    case .revoked:
      throw ChainError(problem: .revoked, message: "the stapled response says that it is revoked", certificate: chain[0])
    case .unknown(let reason):
      if options.contains(.ocsp), chain[0].mustBeStapled {
        throw ChainError(problem: .revocationUnknown, message: "it must be stapled, and \(reason)", certificate: chain[0])
      }
      guard options.contains(.requirePositiveResponse) else { return }
      guard !lists.isEmpty else {
        throw ChainError(problem: .revocationUnknown, message: reason, certificate: chain[0])
      }
      _ = try trust.store.chain(of: certificates, revocation: .covered(lists))
    }
  }

  private func stapledStatus(of chain: [X509Handle], in trust: ServerTrust) -> StapledStatus {
    guard options.contains(.ocsp) else { return .unknown("no response was asked for") }
    guard let response = trust.stapledResponse else { return .unknown("the server has stapled no response") }
    return trust.store.status(in: response.span, of: chain)
  }
}

/// An authority's list of the certificates that it has revoked (RFC 5280 5). Lists are never fetched: give yours to a
/// ``RevocationTrustEvaluator``.
public struct RevocationList: Sendable {
  package let handle: RevocationListHandle

  /// Reads one list in DER.
  public init(der: some Sequence<UInt8>) throws(TLSMaterialError) {
    guard let handle = RevocationListHandle(der: Array(der).span) else {
      throw TLSMaterialError(.malformed, "the bytes are not one revocation list in DER")
    }
    self.handle = handle
  }

  /// Reads the first list of a PEM text.
  public init(pem text: String) throws(TLSMaterialError) {
    guard let handle = RevocationListHandle(pem: Array(text.utf8).span) else {
      throw TLSMaterialError(.noRevocationList, "there is no revocation list in the text")
    }
    self.handle = handle
  }

  /// Reads a file: the first list in PEM, or one in DER.
  public init(contentsOfFile path: String) throws(TLSMaterialError) {
    let bytes = try TLSMaterialError.read(path)
    guard let handle = RevocationListHandle(der: bytes.span) ?? RevocationListHandle(pem: bytes.span) else {
      throw TLSMaterialError(.noRevocationList, "there is no revocation list in \(path)")
    }
    self.handle = handle
  }
}
