import TapelineTLS
import Testing

@testable import TapelineLive

@Suite("Trust instructions")
struct TrustInstructionsTests {
  private let authority: CertificateAuthority
  private let instructions: TrustInstructions

  init() throws {
    authority = try .make(commonName: "tapeline CA (box, 2026-11-21)", validity: 1_795_266_801...1_800_000_000)
    instructions = TrustInstructions(
      certificate: authority.certificate, directory: AuthorityDirectory(path: "/home/o'neil/tapeline"))
  }

  @Test("Every way to trust has its way back")
  func wayBack() {
    let all = instructions.systems + instructions.devices + instructions.browsers + instructions.tools
    #expect(all.allSatisfy { !$0.trust.isEmpty && !$0.remove.isEmpty })
    #expect(Set(all.map(\.title)).count == all.count)
  }

  @Test("Paths are quoted for a shell, and every command has the real one")
  func paths() {
    let lines = instructions.lines
    let path = "'/home/o'\\''neil/tapeline/ca.pem'"
    #expect(instructions.file == path)
    #expect(lines.contains("    export CURL_CA_BUNDLE=\(path)"))
    #expect(lines.contains("    sudo trust anchor --store \(path)"))
    #expect(lines.filter { $0.contains("o'neil") && !$0.contains("  certificate  ") }.isEmpty)
  }

  @Test(
    "Nobody is left out",
    arguments: [
      "Debian", "Ubuntu", "Fedora", "RHEL", "openSUSE", "Arch", "macOS", "Windows", "iOS", "Android", "Firefox", "Chromium",
      "Java", "Node", "Python", "certifi", "curl", "wget", "git", "pip", "cargo",
    ])
  func mentioned(name: String) {
    #expect(instructions.lines.contains { $0.hasPrefix("## ") && $0.contains(name) })
  }

  @Test("The certificate is told apart from others by fingerprint, serial number and pin")
  func identity() {
    let text = instructions.lines.joined(separator: "\n")
    let certificate = authority.certificate
    #expect(text.contains("sha256       \(certificate.fingerprint)"))
    #expect(text.contains("valid until  2027-01-15"))
    #expect(text.contains("-delstore Root \(certificate.serialNumber)"))
    #expect(text.contains("-Z \(certificate.fingerprint.uppercased())"))
    #expect(text.contains("--ignore-certificate-errors-spki-list=\(certificate.keyPin)"))
    #expect(text.contains("tapeline-\(certificate.fingerprint.prefix(16)).crt"))
  }
}
