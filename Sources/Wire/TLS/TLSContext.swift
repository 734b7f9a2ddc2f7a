internal import Synchronization
internal import TapelineSystem
internal import TapelineBase

/// The settings that all connections to origins share. Made once per process and used by every loop.
package final class TLSClientContext: Sendable {
  let handle: SSLContextHandle
  let keyLog: TLSKeyLog?
  let trust: TrustStore

  /// - Parameter verifies: whether an origin with an invalid certificate is refused.
  package init(
    trust: TrustStore, verifies: Bool = true, policy: TLSPolicy = .secure,
    applicationProtocols: [ApplicationProtocol] = [.http11], keyLog: TLSKeyLog? = nil
  ) throws(TLSError) {
    handle = try SSLContextHandle(.client, policy: policy)
    self.keyLog = keyLog
    self.trust = trust
    handle.verifyPeers(by: trust.anchors, refuses: verifies)
    if !applicationProtocols.isEmpty { handle.offer(applicationProtocols: ApplicationProtocol.encode(applicationProtocols)) }
    if keyLog != nil { handle.logKeys() }
  }
}

/// The settings that all connections from clients share. Made once per process and used by every loop, so that a session from one
/// loop can be resumed on any other.
package final class TLSServerContext: Sendable {
  let handle: SSLContextHandle
  let keyLog: TLSKeyLog?
  /// In order of preference, as the extension carries them.
  let applicationProtocols: [UInt8]
  /// The sessions of clients that know identifiers alone, by these: before TLS 1.3.
  private let identified = Mutex(BoundedTable<[UInt8], SessionHandle>(limit: identifiedLimit))
  private static let identifiedLimit = 512

  package init(
    policy: TLSPolicy = .secure, applicationProtocols: [ApplicationProtocol] = [.http11], keyLog: TLSKeyLog? = nil
  ) throws(TLSError) {
    precondition(!applicationProtocols.isEmpty, "a server that speaks no application protocol refuses each client that names one")
    handle = try SSLContextHandle(.server, policy: policy)
    self.keyLog = keyLog
    self.applicationProtocols = ApplicationProtocol.encode(applicationProtocols)
    if keyLog != nil { handle.logKeys() }
  }
}

extension TLSServerContext {
  func keep(_ session: SessionHandle) {
    let identifier = session.identifier
    if !identifier.isEmpty { identified.withLock { $0[identifier] = session } }
  }

  func session(named identifier: [UInt8]) -> SessionHandle? {
    identified.withLock { $0.use(identifier) { $0 } }?.copy
  }
}

/// The versions and cipher suites that we use.
///
/// For both sides: forward secrecy and authenticated encryption only, as in Mozilla's "intermediate" recommendation, and
/// OpenSSL's security level 2 (112 bits). AES-128 comes first because it is the fastest on processors with AES instructions. A
/// client that puts ChaCha20 first has no such instructions and gets ChaCha20.
package struct TLSPolicy: Sendable, Hashable {
  package let minimumVersion: TLSVersion
  package let maximumVersion: TLSVersion

  package init(minimumVersion: TLSVersion = .tls12, maximumVersion: TLSVersion = .tls13) {
    precondition(minimumVersion >= .tls12 && minimumVersion <= maximumVersion, "TLS 1.2 is the oldest version we speak")
    self.minimumVersion = minimumVersion
    self.maximumVersion = maximumVersion
  }

  package static let secure = TLSPolicy()

  static let securityLevel: Int32 = 2
  static let groups = "X25519:P-256:P-384"
  /// For TLS 1.3.
  static let cipherSuites = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
  /// For TLS 1.2.
  static let cipherList =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:"
    + "ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305:DHE-RSA-AES128-GCM-SHA256:DHE-RSA-AES256-GCM-SHA384"
}

/// Lets a client resume an earlier agreement with a server, without certificates. Use it only with the context and for the server
/// name that it came from: neither is checked again.
package final class TLSSession: Sendable {
  package let serverName: String
  let handle: SessionHandle
  /// The response that the server stapled when it presented its certificate: the evaluator gets it again when the session is
  /// resumed.
  let stapledResponse: [UInt8]?

  init(serverName: String, handle: SessionHandle, stapledResponse: [UInt8]? = nil) {
    self.serverName = serverName
    self.handle = handle
    self.stapledResponse = stapledResponse
  }

  /// A second use would let an observer tell that two connections belong together (RFC 8446 C.4).
  package var isSingleUse: Bool { handle.version == .tls13 }
}

/// Writes the secrets of connections to a file for Wireshark and similar tools, in the format of `SSLKEYLOGFILE`.
///
/// Usable from any thread: each line is one write, and the system appends it whole.
package final class TLSKeyLog: Sendable {
  private let descriptor: Int32

  /// Opens or creates the file; only its owner may read it.
  package init(path: String) throws(TLSError) {
    do throws(PrivateFileError) {
      descriptor = try PrivateFile.openLog(path)
    } catch {
      throw TLSError(.configuration, "the key log \(path) cannot be opened: \(error)")
    }
  }

  deinit {
    SystemCalls.discard(descriptor)
  }

  /// A line that cannot be written is lost: a debugging aid does not stop the traffic.
  func append(_ line: String) {
    do throws(SystemCallError) {
      try SystemCalls.writeAll(Array((line + "\n").utf8).span, to: descriptor)
    } catch {
      // The line is lost.
    }
  }
}
