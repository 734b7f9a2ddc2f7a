internal import TapelineTLS
package import TapelineTransport

/// How a session's connections are protected.
///
/// Connections carry HTTP/1.1 (RFC 7301), and use only cipher suites with forward secrecy and authenticated encryption.
public struct TLSConfiguration: Sendable {
  /// A version of TLS.
  public enum ProtocolVersion: Sendable, Hashable, Comparable, CaseIterable {
    /// RFC 5246.
    case tls12
    /// RFC 8446.
    case tls13
  }

  /// The roots that the session trusts to vouch for a server. Evaluators of a ``ServerTrustManager`` start from them, too.
  public var trustRoots = TrustRoots.system
  /// The versions that servers are offered.
  public var versions: ClosedRange<ProtocolVersion> = .tls12 ... .tls13
  /// The client's identities, for servers that ask.
  public var clientIdentities = ClientIdentities.none
  /// A file to which the secrets of all connections are appended, for Wireshark and its like. Anyone who can read the file can
  /// read the traffic. `nil`: no secret leaves the process.
  public var keyLogFile: String?

  /// The defaults.
  public init() {}

  /// Sets what a session's transport needs for its connections.
  ///
  /// - Parameter override: the one of the session's delegate; asked before `serverTrustManager`.
  package func apply(
    serverTrustManager: ServerTrustManager?, override: (@Sendable (ServerTrust) -> ServerTrustDisposition)? = nil,
    to configuration: inout NetworkTransport.Configuration
  ) {
    do throws(TLSError) {
      configuration.tls = try makeContext()
    } catch {
      configuration.tls = nil
      configuration.tlsFailure = error
    }
    let identities = clientIdentities
    configuration.clientCredentials = { identities[$0]?.credentials }
    if let override {
      configuration.peerEvaluator = { host in
        OverriddenTrust(override: override, manager: serverTrustManager).peerEvaluator(forHost: host)
      }
    } else if let serverTrustManager {
      configuration.peerEvaluator = { host in try serverTrustManager.peerEvaluator(forHost: host) }
    }
  }

  private func makeContext() throws(TLSError) -> TLSClientContext {
    let policy = TLSPolicy(
      minimumVersion: TLSVersion(versions.lowerBound), maximumVersion: TLSVersion(versions.upperBound))
    let keyLog: TLSKeyLog? = if let keyLogFile { try TLSKeyLog(path: keyLogFile) } else { nil }
    return try TLSClientContext(trust: trustRoots.makeStore(), policy: policy, keyLog: keyLog)
  }
}

extension TLSVersion {
  fileprivate init(_ version: TLSConfiguration.ProtocolVersion) {
    self =
      switch version {
      case .tls12: .tls12
      case .tls13: .tls13
      }
  }
}

/// The certificates that a session trusts to vouch for a server.
///
/// Certificates that are named here are trusted whatever they are: roots, intermediates, or a server's own.
public enum TrustRoots: Sendable, Hashable {
  /// The system's roots: OpenSSL's default places, or those that the environment variables `SSL_CERT_FILE` and `SSL_CERT_DIR`
  /// name.
  case system
  /// The system's roots, and these.
  case adding([Certificate])
  /// Only these.
  case only([Certificate])

  func makeStore() throws(TLSError) -> TrustStore {
    switch self {
    case .system: try .system()
    case .adding(let certificates): try .system(adding: certificates.map(\.handle))
    case .only(let certificates): .only(certificates.map(\.handle))
    }
  }
}
