internal import TapelineOffline
internal import TapelineProxy
internal import TapelineTLS
internal import TapelineBase

/// The means to decrypt HTTPS in a recording, made once per process: trust in servers, and an authority that clients can trust.
struct HTTPSSetup {
  let interception: Interception
  let upstreamTLS: TLSClientContext
  let clientCredentials: HostPatterns<TLSCredentials>
  let authorityDirectory: AuthorityDirectory
  /// Why the authority is a throw-away one, if it is.
  let note: String?

  /// Makes the authority if it does not exist yet.
  ///
  /// - Parameters:
  ///   - speaksHTTP2: whether HTTP/2 is offered to servers and clients, beside HTTP/1.1.
  ///   - environment: its `SSLKEYLOGFILE` may ask for the keys of both sides.
  ///   - scratch: a directory of the run's own, if its clients are told whom to trust. With it, a throw-away authority is enough
  ///     if no authority can be kept in the usual place.
  init(
    configuration: HTTPSConfiguration, speaksHTTP2: Bool, environment: [String: String], scratch: String? = nil
  ) throws(CommandFailure) {
    let contexts = try TLSContexts(configuration: configuration, speaksHTTP2: speaksHTTP2, environment: environment)
    upstreamTLS = contexts.client
    clientCredentials = try ClientCertificate.credentials(configuration.clientCertificates)
    do throws(AuthorityError) {
      let kept = try KeptAuthority(configuration: configuration, environment: environment, scratch: scratch)
      authorityDirectory = kept.directory
      note = kept.note
      var interception = Interception(certificates: try LeafCertificateCache(authority: kept.authority), context: contexts.server)
      interception.interceptHosts = configuration.interceptHosts
      interception.passthroughHosts = configuration.passthroughHosts
      interception.failsOpen = configuration.failsOpen
      interception.handsOverTrust = configuration.handsOverTrust
      interception.trustVariables = TrustEnvironment.names
      self.interception = interception
    } catch {
      throw CommandFailure(error)
    }
  }
}

extension TLSClientContext {
  /// For URLs and listeners that ask for TLS with a server, in a recording that decrypts nothing. `nil` if the system's trust
  /// cannot be read, and nobody asked for more.
  static func forServers(
    of configuration: HTTPSConfiguration, speaksHTTP2: Bool, environment: [String: String]
  ) throws(CommandFailure) -> TLSClientContext? {
    do throws(CommandFailure) {
      return try TLSContexts(configuration: configuration, speaksHTTP2: speaksHTTP2, environment: environment).client
    } catch {
      if configuration.upstreamAuthority != nil { throw error }
      return nil
    }
  }
}

/// The authority of the user's directory, or one that ends with the process.
private struct KeptAuthority {
  let authority: CertificateAuthority
  let directory: AuthorityDirectory
  var note: String?

  init(configuration: HTTPSConfiguration, environment: [String: String], scratch: String?) throws(AuthorityError) {
    let home =
      configuration.authorityDirectory.map(AuthorityDirectory.init(path:)) ?? AuthorityDirectory(environment: environment)
    do throws(AuthorityError) {
      authority = try CertificateAuthority.loadOrCreate(in: home)
      directory = home
    } catch {
      // Report an authority that exists but cannot be used, and any failure in a directory that the user has named.
      guard [.file, .foreign].contains(error.kind), configuration.authorityDirectory == nil, let scratch else { throw error }
      directory = AuthorityDirectory(path: "\(scratch)/authority")
      authority = try CertificateAuthority.makeThrowAway(certificateIn: directory)
      note =
        "HTTPS is decrypted with a throw-away authority for this run, because none can be kept (\(error.what): \(error.why)); "
        + "--ca-dir DIR keeps one"
    }
  }
}

/// The TLS contexts for servers and for clients.
private struct TLSContexts {
  let client: TLSClientContext
  let server: TLSServerContext

  init(configuration: HTTPSConfiguration, speaksHTTP2: Bool, environment: [String: String]) throws(CommandFailure) {
    let protocols: [ApplicationProtocol] = speaksHTTP2 ? [.http2, .http11] : [.http11]
    do throws(TLSError) {
      var keyLog: TLSKeyLog?
      if let path = environment["SSLKEYLOGFILE"], !path.isEmpty { keyLog = try TLSKeyLog(path: path) }
      let trust: TrustStore
      if let file = configuration.upstreamAuthority {
        trust = try .system(adding: file)
      } else {
        trust = try .system()
      }
      client = try TLSClientContext(
        trust: trust, verifies: !configuration.trustsAnyServer, applicationProtocols: protocols, keyLog: keyLog)
      server = try TLSServerContext(applicationProtocols: protocols, keyLog: keyLog)
    } catch {
      throw CommandFailure(
        status: .badInput, what: "cannot prepare for HTTPS", why: error.message,
        remedy: "check --upstream-ca and SSLKEYLOGFILE, or use --no-intercept")
    }
  }
}
