internal import TapelineTLS
package import TapelineTransport

/// How a session's connections are protected.
///
/// HTTP/1.1 is what is spoken over them (RFC 7301), by cipher suites with forward secrecy and authenticated encryption only.
public struct TLSConfiguration: Sendable {
  /// A version of TLS.
  public enum ProtocolVersion: Sendable, Hashable, Comparable, CaseIterable {
    /// RFC 5246.
    case tls12
    /// RFC 8446.
    case tls13
  }

  /// Whom the session believes when they vouch for a server. Evaluators of a ``ServerTrustManager`` begin with them, too.
  public var trustRoots = TrustRoots.system
  /// The versions that servers are offered.
  public var versions: ClosedRange<ProtocolVersion> = .tls12 ... .tls13
  /// Who we are, for servers that ask.
  public var clientIdentities = ClientIdentities.none
  /// A file to which the secrets of all connections are appended, for Wireshark and its like. Who can read it can read the
  /// traffic. `nil`: no secret leaves the process.
  public var keyLogFile: String?

  /// The defaults.
  public init() {}

  /// Sets what a session's transport needs for its connections.
  ///
  /// - Parameter override: of the session's delegate; asked before `serverTrustManager`.
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
