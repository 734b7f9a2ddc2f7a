internal import TapelineProxy
internal import TapelineTLS

/// What a recording needs to decrypt HTTPS, made once per process: trust in servers, and an authority that clients can trust.
struct HTTPSSetup {
  let interception: Interception
  let upstreamTLS: TLSClientContext
  let authorityDirectory: AuthorityDirectory

  /// Makes the authority when there is none yet.
  ///
  /// - Parameter environment: where `SSLKEYLOGFILE` may ask for the keys of both sides.
  init(options: HTTPSOptions, environment: [String: String]) throws(CommandFailure) {
    let contexts = try TLSContexts(options: options, environment: environment)
    authorityDirectory = options.directory(environment: environment)
    upstreamTLS = contexts.client
    do throws(AuthorityError) {
      let authority = try CertificateAuthority.loadOrCreate(in: authorityDirectory)
      var interception = Interception(certificates: try LeafCertificateCache(authority: authority), context: contexts.server)
      interception.interceptHosts = options.interceptHosts
      interception.passthroughHosts = options.passthroughHosts
      interception.failsOpen = !options.strict
      interception.trustVariables = TrustEnvironment.names
      self.interception = interception
    } catch {
      throw CommandFailure(error)
    }
  }
}

extension HTTPSOptions {
  func directory(environment: [String: String]) -> AuthorityDirectory {
    authorityDirectory.map(AuthorityDirectory.init(path:)) ?? AuthorityDirectory(environment: environment)
  }
}

/// How TLS is spoken to servers and to clients.
private struct TLSContexts {
  let client: TLSClientContext
  let server: TLSServerContext

  init(options: HTTPSOptions, environment: [String: String]) throws(CommandFailure) {
    do throws(TLSError) {
      var keyLog: TLSKeyLog?
      if let path = environment["SSLKEYLOGFILE"], !path.isEmpty { keyLog = try TLSKeyLog(path: path) }
      let trust: TrustStore
      if let file = options.upstreamAuthority {
        trust = try .system(adding: file)
      } else {
        trust = try .system()
      }
      client = try TLSClientContext(trust: trust, verifies: !options.trustsAnyServer, keyLog: keyLog)
      server = try TLSServerContext(keyLog: keyLog)
    } catch {
      throw CommandFailure(
        status: .badInput, what: "cannot prepare for HTTPS", why: error.message,
        remedy: "check --upstream-ca and SSLKEYLOGFILE, or use --no-intercept")
    }
  }
}
