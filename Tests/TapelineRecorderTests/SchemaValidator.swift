import TapelineTestSupport

/// The validator that is not ours: HAR's JSON schema and the rules that it cannot say. It lies beside the repository, and its
/// Python is what `scripts/setup --test` installs.
enum SchemaValidator {
  private static let root = String(
    #filePath.prefix(#filePath.utf8.count - "/Tests/TapelineRecorderTests/SchemaValidator.swift".utf8.count))
  private static let script = root + "/../shared/har-tools/validate.py"
  private static let python = root + "/.build-tools/tests/bin/python"

  static var isAvailable: Bool { fileExists(script) && fileExists(python) }

  /// What it objects to in a file; nothing when it accepts it.
  static func complaints(about path: String) throws -> String {
    let check = try TestProcess(python, [script, path])
    let status = try check.wait()
    return status.isSuccess ? "" : check.outputText + check.errorText
  }
}
