import TapelineTestSupport
import Testing

/// What programs were started with when a text was pasted into a shell: stand-ins on the path write it down.
struct PastedWords {
  /// The arguments of each call, and what it read.
  let calls: [(program: String, arguments: [String], input: [UInt8])]
  /// What the commands made in the directory in which they ran.
  let files: [String]
  let errors: String

  static let shells = [["dash"], ["bash", "--norc"], ["zsh", "-f"], ["fish", "--no-config"]]

  init(_ text: String, in shell: [String], programs: [String]) throws {
    let directory = try TemporaryDirectory()
    let log = try directory.makeDirectory("log")
    let stand = try directory.makeDirectory("bin")
    for program in programs {
      // Each call has files of its own: their number tells the order.
      let script = """
        #!/bin/sh
        n=$(ls '\(log)' | wc -l)
        printf '%s\\0' \(program) "$@" > '\(log)'/"$(printf %05d "$n")"
        case " $* " in *' --data-binary @- '*) cat > '\(log)'/"$(printf %05d "$n").input" ;; esac
        """
      try directory.write(script, to: "bin/\(program)", mode: 0o755)
    }
    // History is looked up as it would be where somebody types.
    let typed = shell[0] == "bash" ? "set -o history -o histexpand\n\(text)" : text
    let script = try directory.write(typed, to: "script")
    let work = try directory.makeDirectory("work")
    let process = try TestProcess(
      "env", ["-C", work] + shell + [script],
      environment: [
        "PATH": "\(stand):\(environmentVariable("PATH") ?? "/usr/bin:/bin")", "LC_ALL": "C.UTF-8", "HOME": directory.path,
      ])
    try process.wait(seconds: 120)
    errors = process.errorText
    files = try names(in: work)
    calls = try names(in: log).filter { !$0.hasSuffix(".input") }.map { name in
      let words = try readFile("\(log)/\(name)").split(separator: 0, omittingEmptySubsequences: false).dropLast()
        .map { String(decoding: $0, as: UTF8.self) }
      let input = fileExists("\(log)/\(name).input") ? try readFile("\(log)/\(name).input") : []
      return (words[0], Array(words.dropFirst()), input)
    }
  }
}

private func names(in directory: String) throws -> [String] {
  let list = try TestProcess("ls", ["-A", directory])
  try list.wait()
  return list.outputText.split(separator: "\n").map(String.init)
}
