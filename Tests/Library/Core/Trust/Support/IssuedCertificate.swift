import TapelineTestSupport

@testable import TapelineCore
@testable import TapelineTLS

/// A certificate and its key, in files of the test's own.
struct IssuedCertificate: Sendable {
  let certificateFile: String
  let keyFile: String
  let certificate: Certificate
  private let directory: TemporaryDirectory

  /// - Parameters:
  ///   - issuer: `nil`: it vouches for itself.
  ///   - names: as openssl writes them; none for an authority.
  ///   - days: how long it is valid; a negative number makes one that has expired.
  ///   - more: extensions, as openssl writes them.
  init(
    _ commonName: String, names: String? = "DNS:localhost,IP:127.0.0.1", isAuthority: Bool = false,
    issuer: IssuedCertificate? = nil,
    days: Int = 2, more: [String] = []
  ) throws {
    directory = try TemporaryDirectory()
    certificateFile = directory.path("certificate.pem")
    keyFile = directory.path("key.pem")
    var extensions =
      isAuthority
      ? ["basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign,cRLSign"] : ["basicConstraints=critical,CA:FALSE"]
    if let names, !isAuthority { extensions.append("subjectAltName=\(names)") }
    extensions += more
    let key = [
      "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=\(commonName)", "-keyout", keyFile,
    ]
    if let issuer {
      let request = directory.path("request.pem")
      let file = try directory.write(extensions.joined(separator: "\n"), to: "extensions.cnf")
      try openssl(["req"] + key + ["-out", request])
      try openssl(
        ["x509", "-req", "-in", request, "-CA", issuer.certificateFile, "-CAkey", issuer.keyFile, "-days", "\(days)"]
          + ["-extfile", file, "-out", certificateFile])
    } else {
      try openssl(
        ["req", "-x509"] + key + ["-days", "\(days)", "-out", certificateFile] + extensions.flatMap { ["-addext", $0] })
    }
    certificate = try Certificate.certificates(contentsOfFile: certificateFile)[0]
  }

  var publicKey: PublicKey { certificate.publicKey }

  /// For a server that sends `chain` behind the certificate, in that order and whatever it is.
  func credentials(sending chain: [IssuedCertificate] = []) throws -> TLSCredentials {
    let own = try ClientIdentity(certificateFile: certificateFile, privateKeyFile: keyFile).credentials
    return TLSCredentials(leaf: own.leaf, key: own.key, chain: chain.map(\.certificate.handle))
  }

  // MARK: Revocation

  /// A list by this authority, in PEM.
  func revocationList(of revoked: [IssuedCertificate]) throws -> RevocationList {
    let workshop = try TemporaryDirectory()
    let configuration = try Self.database(in: workshop)
    let authority = ["-config", configuration, "-cert", certificateFile, "-keyfile", keyFile]
    for certificate in revoked { try openssl(["ca"] + authority + ["-revoke", certificate.certificateFile]) }
    let list = workshop.path("list.pem")
    try openssl(["ca"] + authority + ["-gencrl", "-out", list])
    return try RevocationList(contentsOfFile: list)
  }

  /// An OCSP response by this authority about `certificate`.
  func response(of certificate: IssuedCertificate, isRevoked: Bool) throws -> [UInt8] {
    let workshop = try TemporaryDirectory()
    let configuration = try Self.database(in: workshop)
    let authority = ["-config", configuration, "-cert", certificateFile, "-keyfile", keyFile]
    // A certificate of which the database does not know is unknown, so both kinds must be in it.
    try openssl(["ca"] + authority + (isRevoked ? ["-revoke"] : ["-valid"]) + [certificate.certificateFile])
    let question = workshop.path("question.der")
    let answer = workshop.path("answer.der")
    try openssl(["ocsp", "-issuer", certificateFile, "-cert", certificate.certificateFile, "-reqout", question])
    try openssl(
      ["ocsp", "-index", workshop.path("index.txt"), "-CA", certificateFile, "-rsigner", certificateFile, "-rkey", keyFile]
        + ["-ndays", "1", "-reqin", question, "-respout", answer])
    return try TLSMaterialError.read(answer)
  }

  /// An empty database of issued certificates; answers the configuration that names it.
  private static func database(in directory: TemporaryDirectory) throws -> String {
    _ = try directory.write("", to: "index.txt")
    _ = try directory.write("01", to: "number")
    return try directory.write(
      """
      [ca]
      default_ca=test
      [test]
      database=\(directory.path("index.txt"))
      crlnumber=\(directory.path("number"))
      default_md=sha256
      default_crl_days=1
      unique_subject=no
      """, to: "ca.cnf")
  }
}

/// What most tests need: a root, an authority below it, and a server's certificate.
struct IssuedChain: Sendable {
  let root: IssuedCertificate
  let middle: IssuedCertificate
  let leaf: IssuedCertificate

  /// Made once per process: making keys and starting programs takes its time.
  static let shared = Result { try IssuedChain() }

  init() throws {
    root = try IssuedCertificate("Test root", isAuthority: true)
    middle = try IssuedCertificate("Test intermediate", isAuthority: true, issuer: root)
    leaf = try IssuedCertificate("localhost", issuer: middle)
  }

  /// What a server that has sent `certificates` is judged by.
  func trust(
    _ certificates: [IssuedCertificate], host: String = "localhost", roots: TrustRoots? = nil, stapledResponse: [UInt8]? = nil
  ) throws -> ServerTrust {
    ServerTrust(
      PeerCertificates(
        serverName: host, chain: certificates.map(\.certificate.handle), stapledResponse: stapledResponse, isResumed: false,
        trust: try (roots ?? .only([root.certificate])).makeStore()))
  }
}

/// How an evaluator decides; `nil`: it trusts.
func reason(
  _ evaluator: some ServerTrustEvaluating, _ trust: ServerTrust
) -> TapelineError.ServerTrustFailureReason? {
  do {
    try evaluator.evaluate(trust, forHost: trust.host)
    return nil
  } catch TapelineError.serverTrustEvaluationFailed(let reason) {
    return reason
  } catch {
    return .customEvaluationFailed(error: error)
  }
}

extension TapelineError.ServerTrustFailureReason {
  /// The case's name, and the kind of the problem if it has one.
  var name: String {
    switch self {
    case .noRequiredEvaluator: "noRequiredEvaluator"
    case .noCertificatesFound: "noCertificatesFound"
    case .noPublicKeysFound: "noPublicKeysFound"
    case .trustEvaluationFailed: "trustEvaluationFailed"
    case .defaultEvaluationFailed(_, let problem): "defaultEvaluationFailed \(problem.kind)"
    case .hostValidationFailed(_, let problem): "hostValidationFailed \(problem.kind)"
    case .revocationCheckFailed(_, let problem): "revocationCheckFailed \(problem.kind)"
    case .certificatePinningFailed: "certificatePinningFailed"
    case .publicKeyPinningFailed: "publicKeyPinningFailed"
    case .customEvaluationFailed: "customEvaluationFailed"
    }
  }
}
