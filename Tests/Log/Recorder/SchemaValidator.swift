import TapelineTestSupport

/// HAR's JSON schema, by a validator that is not ours, and the rules that it cannot say: `scripts/lab schema`. Its Python is what
/// `scripts/setup --test` installs.
enum SchemaValidator {
  private static let root = String(
    #filePath.prefix(#filePath.utf8.count - "/Tests/TapelineRecorderTests/SchemaValidator.swift".utf8.count))
  private static let python = root + "/.build-tools/tests/bin/python"

  static var isAvailable: Bool { fileExists(python) }

  /// What it objects to in a file; nothing when it accepts it.
  static func complaints(about path: String) throws -> String {
    let check = try TestProcess(
      python, ["-B", "-m", "lab", "schema", path], environment: ["PYTHONPATH": root + "/scripts/lib"])
    let status = try check.wait()
    return status.isSuccess ? "" : check.outputText + check.errorText
  }
}
