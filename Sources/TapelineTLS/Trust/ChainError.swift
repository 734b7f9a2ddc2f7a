/// Why a chain of certificates is not trusted.
package struct ChainError: Error, Sendable {
  package let problem: CertificateProblem
  package let message: String
  /// The certificate that caused the problem, if a single one did.
  package let certificate: X509Handle?

  package init(problem: CertificateProblem, message: String, certificate: X509Handle?) {
    self.problem = problem
    self.message = message
    self.certificate = certificate
  }
}
