import TapelineTestSupport
import Testing

/// Runs the program at each width and compares all that it says with `Tests/Fixtures/golden/<name>-<columns>.txt`.
///
/// The program runs in `Tests/Fixtures`, so that files are named as `har/chrome.har`. A golden file begins with the command; then
/// comes its output, lines of stderr behind `stderr: `, and the exit status where it is not 0. With `TAPELINE_UPDATE_GOLDEN=1` in
/// the environment the files are written anew: look at what changed before you keep it.
func expectGolden(
  _ name: String, _ arguments: [String], columns: [Int] = [80, 160], environment: [String: String] = [:],
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  for width in columns {
    let told = try transcript(of: arguments, columns: width, environment: environment)
    let path = "\(repositoryRoot)/Tests/Fixtures/golden/\(name)-\(width).txt"
    if environmentVariable("TAPELINE_UPDATE_GOLDEN") != nil {
      try TestProcess("tee", [path], input: Array(told.utf8)).wait()
    } else {
      let golden = fileExists(path) ? try readText(path) : "there is no golden file"
      #expect(told.split(separator: "\n") == golden.split(separator: "\n"), "\(name)-\(width)", sourceLocation: sourceLocation)
    }
  }
}

private func transcript(of arguments: [String], columns: Int, environment: [String: String]) throws -> String {
  // The rules stand in the name of the zone, so no machine has others.
  let variables = [
    "COLUMNS": String(columns), "TZ": "CET-1CEST,M3.5.0,M10.5.0/3", "LC_ALL": "C.UTF-8", "NO_COLOR": "", "TERM": "xterm",
  ].merging(environment) { $1 }
  let process = try TestProcess(
    "env", ["-C", "\(repositoryRoot)/Tests/Fixtures", try TapelineProcess.binary] + arguments, environment: variables)
  let status = try process.wait()
  var text = "$ tapeline \(arguments.map(quoted).joined(separator: " "))\n" + process.outputText
  if !text.hasSuffix("\n") { text += "\n" }
  for line in process.errorText.split(separator: "\n") { text += "stderr: \(line)\n" }
  if case .exited(let code) = status, code == 0 { return text }
  return text + "\(status)\n"
}

/// As a person would write it in a shell.
private func quoted(_ argument: String) -> String {
  let isPlain = argument.allSatisfy { $0.isLetter || $0.isNumber || "-_./:,=%".contains($0) }
  return isPlain && !argument.isEmpty ? argument : "'\(argument)'"
}
