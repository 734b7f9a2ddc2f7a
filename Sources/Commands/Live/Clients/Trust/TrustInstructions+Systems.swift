internal import TapelineTLS

extension TrustInstructions {
  var systems: [TrustInstruction] {
    [debian, fedora, suse, arch, macOS, windows]
  }

  var devices: [TrustInstruction] {
    [iOS, android, container]
  }

  private var debian: TrustInstruction {
    let installed = "/usr/local/share/ca-certificates/\(nickname).crt"
    return TrustInstruction(
      title: "Debian, Ubuntu, Alpine",
      remark: "By itself on Debian: sudo tapeline ca trust --install --ca-dir \(home), and --remove.",
      trust: ["sudo install -m 644 \(file) \(installed)", "sudo update-ca-certificates"],
      remove: ["sudo rm \(installed)", "sudo update-ca-certificates"])
  }

  private var fedora: TrustInstruction {
    let installed = "/etc/pki/ca-trust/source/anchors/\(nickname).pem"
    return TrustInstruction(
      title: "Fedora, RHEL and relatives",
      trust: ["sudo install -m 644 \(file) \(installed)", "sudo update-ca-trust"],
      remove: ["sudo rm \(installed)", "sudo update-ca-trust"])
  }

  private var suse: TrustInstruction {
    let installed = "/etc/pki/trust/anchors/\(nickname).pem"
    return TrustInstruction(
      title: "openSUSE",
      trust: ["sudo install -m 644 \(file) \(installed)", "sudo update-ca-certificates"],
      remove: ["sudo rm \(installed)", "sudo update-ca-certificates"])
  }

  private var arch: TrustInstruction {
    TrustInstruction(
      title: "Arch",
      trust: ["sudo trust anchor --store \(file)"],
      remove: ["sudo trust anchor --remove \(file)"])
  }

  private var macOS: TrustInstruction {
    let keychain = "/Library/Keychains/System.keychain"
    return TrustInstruction(
      title: "macOS (Safari, Chrome and most programs)",
      trust: ["sudo security add-trusted-cert -d -r trustRoot -k \(keychain) \(file)"],
      remove: [
        "sudo security remove-trusted-cert -d \(file)",
        "sudo security delete-certificate -Z \(certificate.fingerprint.uppercased()) \(keychain)",
      ])
  }

  private var windows: TrustInstruction {
    TrustInstruction(
      title: "Windows (Edge, Chrome and most programs)",
      remark: "In a prompt that was opened as administrator, with a copy of the certificate.",
      trust: ["certutil -addstore -f Root ca.pem"],
      remove: ["certutil -delstore Root \(certificate.serialNumber)"])
  }

  private var iOS: TrustInstruction {
    TrustInstruction(
      title: "iOS, iPadOS",
      trust: [
        "tapeline ca export --ca-dir \(home) -o tapeline.pem    (send it to the device and open it there)",
        "Settings > General > VPN & Device Management: install the profile",
        "Settings > General > About > Certificate Trust Settings: turn it on",
      ],
      remove: ["Settings > General > VPN & Device Management: remove the profile"])
  }

  private var android: TrustInstruction {
    TrustInstruction(
      title: "Android",
      remark: "Apps for Android 7 and later trust it only if their network security configuration says so; browsers do.",
      trust: [
        "tapeline ca export --ca-dir \(home) --format der -o tapeline.crt && adb push tapeline.crt /sdcard/Download/",
        "Settings > Security > Encryption & credentials > Install a certificate > CA certificate",
      ],
      remove: ["Settings > Security > Encryption & credentials > User credentials: remove it"])
  }

  private var container: TrustInstruction {
    TrustInstruction(
      title: "Containers (images of Debian and Alpine)",
      trust: ["COPY ca.pem /usr/local/share/ca-certificates/\(nickname).crt", "RUN update-ca-certificates"],
      remove: ["build the image without these lines"])
  }
}
