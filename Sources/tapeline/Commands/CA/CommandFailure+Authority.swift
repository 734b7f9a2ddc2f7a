internal import TapelineTLS

extension CommandFailure {
  init(_ error: AuthorityError) {
    let status: ExitStatus =
      switch error.kind {
      case .missing, .incomplete, .mismatch, .insecurePermissions, .foreign, .expired, .notYetValid, .unusable, .hostName:
        .badInput
      case .file, .cryptography: .cannotCreate
      }
    self.init(status: status, what: error.what, why: error.why, remedy: error.remedy)
  }
}
