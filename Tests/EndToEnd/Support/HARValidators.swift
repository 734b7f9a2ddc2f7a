import Synchronization
import TapelineTestSupport
import Testing

/// The validators that other people wrote. Each runs once, and gets one file after the other: a start costs more than a check.
enum HARValidators {
  /// Both accept the file.
  static func expectAccepted(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    for validator in [node, schema] {
      let validator = try validator.get()
      let mistakes = try validator.mistakes(in: path)
      #expect(mistakes == "[]", "\(validator.name): \(path)", sourceLocation: sourceLocation)
    }
  }

  /// The schema's own, with the rules that a schema cannot express.
  private static let schema = Result {
    try HARValidator(
      name: "lab schema", pythonInterpreter(),
      [
        "-B", "-c",
        """
        import json, sys
        from pathlib import Path
        from lab.schema import mistakes

        for number, line in enumerate(sys.stdin):
            try:
                found = mistakes(json.loads(Path(line.strip()).read_text(encoding='utf-8-sig')))
            except Exception as error:
                found = [repr(error)]
            print(f'answer {number}: {json.dumps(found)}', flush=True)
        """,
      ], environment: ["PYTHONPATH": "\(repositoryRoot)/scripts"])
  }

  /// Debian's `node-har-validator`.
  private static let node = Result {
    try HARValidator(
      name: "har-validator", "node",
      [
        "-e",
        """
        const fs = require('fs'), { har } = require('har-validator');
        let number = 0;
        require('readline').createInterface({ input: process.stdin }).on('line', async (path) => {
          const own = number++;
          let found = [];
          try { await har(JSON.parse(fs.readFileSync(path, 'utf8'))); } catch (error) { found = error.errors ?? [String(error)]; }
          console.log(`answer ${own}: ${JSON.stringify(found)}`);
        });
        """,
      ], environment: ["NODE_PATH": "/usr/share/nodejs"])
  }
}

/// A program that reads the name of a file a line, and answers each with a line: `answer NUMBER: [MISTAKE…]`.
private final class HARValidator: Sendable {
  let name: String
  private let process: TestProcess
  private let asked = Mutex(0)

  init(name: String, _ program: String, _ arguments: [String], environment: [String: String]) throws {
    self.name = name
    process = try TestProcess(program, arguments, environment: environment, input: nil)
  }

  /// As JSON.
  func mistakes(in path: String) throws -> String {
    let number = asked.withLock { asked in
      process.write(Array("\(path)\n".utf8))
      asked += 1
      return asked - 1
    }
    let opening = "answer \(number): "
    return String(try process.waitForOutputLine(containing: opening, seconds: 60).dropFirst(opening.count))
  }
}
