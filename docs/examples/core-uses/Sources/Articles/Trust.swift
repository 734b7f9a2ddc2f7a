import FoundationEssentials
import TapelineCore

func trustOneCertificate() throws -> Session {
  let certificates = try Certificate.certificates(contentsOfFile: "api.pem")
  let manager = ServerTrustManager(evaluators: [
    "api.example.com": PinnedCertificatesTrustEvaluator(certificates: certificates),
    "*.internal.example.com": PublicKeysTrustEvaluator(keys: certificates.map(\.publicKey)),
    "*": DefaultTrustEvaluator(),
  ])
  let session = Session(serverTrustManager: manager)
  return session
}

func trustAnAuthority() throws -> Session {
  var configuration = SessionConfiguration()
  configuration.tls.trustRoots = .adding(try Certificate.certificates(contentsOfFile: "company-ca.pem"))
  configuration.tls.versions = .tls13 ... .tls13
  configuration.tls.clientIdentities = ClientIdentities(
    hosts: ["api.example.com": try ClientIdentity(certificateFile: "me.pem", privateKeyFile: "me.key")])
  let session = Session(configuration: configuration)
  return session
}

struct ShortLivedOnly: ServerTrustEvaluating {
  func evaluate(_ trust: ServerTrust, forHost host: String) throws {
    try trust.performDefaultValidation(forHost: host)
    try trust.performValidation(forHost: host)
    guard trust.leaf.notAfter - trust.leaf.notBefore < 100 * 86_400 else { throw TooLong() }
  }

  struct TooLong: Error {}
}

func sayWhoWeAre() async throws {
  let secret = try await AF.request("https://example.com/private")
    .authenticate(username: "ada", password: "…")
    .validate()
    .serializingString()
    .value
  print(secret)
}
