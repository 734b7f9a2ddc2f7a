import TapelineTestSupport
import Testing

/// The validators that other people wrote.
enum HARValidators {
  /// Both accept the file.
  static func expectAccepted(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try expectNodeAccepts(path, sourceLocation: sourceLocation)
    try expectSchemaAccepts(path, sourceLocation: sourceLocation)
  }

  /// The schema's own, with the rules that a schema cannot express.
  private static func expectSchemaAccepts(_ path: String, sourceLocation: SourceLocation) throws {
    let check = try laboratory(["schema", path])
    let status = try check.wait(seconds: 60)
    #expect(status.isSuccess, "lab schema: \(check.outputText)\(check.errorText)", sourceLocation: sourceLocation)
  }

  /// Debian's `node-har-validator`.
  private static func expectNodeAccepts(_ path: String, sourceLocation: SourceLocation) throws {
    let script = """
      const har = JSON.parse(require('fs').readFileSync(process.argv[1], 'utf8'));
      require('har-validator').har(har).catch(error => {
        console.error(error.errors ? JSON.stringify(error.errors) : String(error));
        process.exit(1);
      });
      """
    let check = try TestProcess("node", ["-e", script, path], environment: ["NODE_PATH": "/usr/share/nodejs"])
    let status = try check.wait(seconds: 60)
    #expect(status.isSuccess, "har-validator: \(check.errorText)", sourceLocation: sourceLocation)
  }
}
