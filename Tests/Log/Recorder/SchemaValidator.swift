import TapelineTestSupport

/// HAR's JSON schema, by a validator that is not ours, and the rules that it cannot say: `scripts/lab/run schema`, in the Python
/// that `scripts/setup --test` installs.
enum SchemaValidator {
  private static let python = repositoryRoot + "/.build-tools/tests/bin/python"

  static var isAvailable: Bool { fileExists(python) }

  /// What it objects to in a file; nothing when it accepts it.
  static func complaints(about path: String) throws -> String {
    let check = try TestProcess(
      python, ["-B", "-m", "lab", "schema", path], environment: ["PYTHONPATH": repositoryRoot + "/scripts"])
    let status = try check.wait()
    return status.isSuccess ? "" : check.outputText + check.errorText
  }
}
