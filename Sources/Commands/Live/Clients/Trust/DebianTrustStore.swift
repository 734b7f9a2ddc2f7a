package import TapelineOffline
internal import TapelineInspect
internal import TapelineSystem
package import TapelineTLS

/// The roots that the administrator of a Debian system adds to its trust store; Ubuntu and Alpine have the same store.
package struct DebianTrustStore {
  let directory: String
  /// Rebuilds the system's bundle from its directories.
  private let updater: String

  package init(
    directory: String = "/usr/local/share/ca-certificates", updater: String = "/usr/sbin/update-ca-certificates"
  ) {
    self.directory = directory
    self.updater = updater
  }

  /// Named after the certificate, so that the authorities of two users do not collide.
  private func file(for certificate: AuthorityCertificate) -> String {
    "\(directory)/\(TrustInstructions.nickname(of: certificate)).crt"
  }

  /// Installs the certificate, or removes it, and says what has changed.
  package func text(
    ofInstalling installs: Bool, _ certificate: AuthorityCertificate, from home: AuthorityDirectory
  ) throws(CommandFailure) -> String {
    let name = certificate.commonName
    guard !installs else {
      let file = try install(certificate, from: home)
      return "this machine trusts \(name), by \(file); Firefox, Chromium and Java have stores of their own"
    }
    return try remove(certificate, from: home) ? "this machine no longer trusts \(name)" : "this machine did not trust \(name)"
  }

  /// Returns the file by which the machine now trusts the authority.
  package func install(_ certificate: AuthorityCertificate, from home: AuthorityDirectory) throws(CommandFailure) -> String {
    try checkMayChange("--install", home)
    let file = file(for: certificate)
    do throws(AuthorityError) {
      try certificate.write(to: file)
    } catch {
      throw CommandFailure(error)
    }
    try update()
    return file
  }

  /// Returns whether the authority was installed. Rebuilds the store in any case: an earlier attempt may have stopped half-way.
  package func remove(_ certificate: AuthorityCertificate, from home: AuthorityDirectory) throws(CommandFailure) -> Bool {
    try checkMayChange("--remove", home)
    let file = file(for: certificate)
    var wasThere = true
    do throws(SystemCallError) {
      try SystemCalls.remove(file)
    } catch {
      guard error.code == ErrorCode.notFound else {
        throw CommandFailure(status: .cannotCreate, what: file, why: error.text, remedy: "remove it, then run \(updater)")
      }
      wasThere = false
    }
    try update()
    return wasThere
  }

  private func checkMayChange(_ option: String, _ home: AuthorityDirectory) throws(CommandFailure) {
    guard SystemCalls.exists(directory), SystemCalls.exists(updater) else {
      throw CommandFailure(
        status: .unavailable, what: option, why: "there is no \(updater) with \(directory)",
        remedy: "install the package ca-certificates, or on another system use the commands that tapeline ca trust prints")
    }
    guard SystemCalls.mayAccess(directory, for: .writing) else {
      throw CommandFailure(
        status: .cannotCreate, what: option, why: "only root may write to \(directory)",
        remedy: "run sudo tapeline ca trust \(option) --ca-dir \(home.path.shellQuoted)")
    }
  }

  private func update() throws(CommandFailure) {
    let status = try SilentProcess.run([updater])
    guard status == 0 else {
      throw CommandFailure(
        status: .writeFailed, what: updater, why: "it ended with status \(status)", remedy: "run it as root to see why")
    }
  }
}
