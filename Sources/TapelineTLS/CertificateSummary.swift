/// The parts of a certificate that interest a person.
package struct CertificateSummary: Sendable, Hashable {
  /// Distinguished names in the order and with the escapes of RFC 2253.
  package let subject: String
  package let issuer: String
  /// Subject alternative names, DNS names and addresses, in the certificate's order.
  package let names: [String]
  /// Seconds since 1970.
  package let notBefore: Int64
  package let notAfter: Int64
  /// SHA-256 of the DER form, lower-case hexadecimal.
  package let fingerprint: String
  /// Lower-case hexadecimal.
  package let serialNumber: String
}
