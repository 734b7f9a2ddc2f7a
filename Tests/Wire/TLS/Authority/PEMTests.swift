import Testing

@testable import TapelineTLS

@Suite("PEM")
struct PEMTests {
  private static let one = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"
  private static let two = "-----BEGIN CERTIFICATE-----\r\nBBBB\r\n-----END CERTIFICATE-----"

  private func certificates(_ text: String) -> [String] {
    PEM.certificates(in: Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("Lines have 64 characters at most")
  func lines() {
    let text = PEM.text(label: "X", der: [UInt8](repeating: 0, count: 49))
    #expect(text == "-----BEGIN X-----\n" + String(repeating: "A", count: 64) + "\nAA==\n-----END X-----\n")
    #expect(PEM.text(label: "X", der: [0, 0, 0]) == "-----BEGIN X-----\nAAAA\n-----END X-----\n")
  }

  @Test("Certificates are found among comments, keys and both kinds of line ends")
  func found() {
    let key = "-----BEGIN PRIVATE KEY-----\nSECRET\n-----END PRIVATE KEY-----"
    #expect(certificates("# root\n\(Self.one)\n\(key)\n\(Self.two)\r\n") == [Self.one, Self.two])
    #expect(certificates(Self.one) == [Self.one])
    #expect(certificates(key).isEmpty)
    #expect(certificates("").isEmpty)
  }

  @Test("A certificate that does not end is none, and the next is whole")
  func damaged() {
    #expect(certificates("-----BEGIN CERTIFICATE-----\nAAAA\n").isEmpty)
    #expect(certificates("-----END CERTIFICATE-----\n\(Self.one)") == [Self.one])
    #expect(certificates("-----BEGIN CERTIFICATE-----\nAA\n\(Self.one)\n") == [Self.one])
  }
}
