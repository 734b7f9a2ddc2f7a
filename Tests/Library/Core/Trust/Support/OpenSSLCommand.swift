import TapelineTestSupport

/// Runs the `openssl` command to its successful end: what the library reads is not made by its own code.
func openssl(_ arguments: [String]) throws {
  let process = try TestProcess("openssl", arguments)
  guard try process.wait().isSuccess else {
    throw TestSupportError.program("openssl \(arguments.joined(separator: " ")): \(process.errorText)")
  }
}
