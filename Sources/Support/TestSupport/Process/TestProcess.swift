internal import Synchronization
internal import TapelineSystem
internal import TapelineTime

/// A program under test or a tool: its output is collected while it runs, and tests wait for its end with a deadline.
///
/// It leads its own process group, which is killed when the last reference goes: no test leaves anything running.
package final class TestProcess: Sendable {
  package var id: Int32 { child.id }
  package let program: String
  private let child: ChildIdentifier
  private let standardInput: ProcessInput?
  private let output: ProcessOutput
  private let errors: ProcessOutput
  private let exit = Monitor<ProgramEnd?>(nil)

  /// Starts `program`, which is looked up on the path.
  ///
  /// - Parameters:
  ///   - environment: replaces the variables of these names; an empty value removes a variable. The caller's proxy variables are
  ///     always removed first, because each test decides itself who uses which proxy.
  ///   - input: the program's input; `nil` keeps its standard input open until `closeInput`.
  package init(
    _ program: String, _ arguments: [String] = [], environment: [String: String] = [:], input: [UInt8]? = []
  ) throws(TestSupportError) {
    let spawned = try SpawnedProgram.start(
      program, arguments, environment: environmentOfTests(replacing: environment))
    self.program = program
    child = spawned.child
    output = try ProcessOutput(reading: spawned.output)
    errors = try ProcessOutput(reading: spawned.errors)
    standardInput = try ProcessInput(writing: input, to: spawned.input)
    _ = try TestThread { [exit, child] in
      let result = ProgramEnd(child.collect())
      exit.change { $0 = result }
    }
  }

  deinit {
    if exit.read({ $0 }) == nil {
      ProcessSignal.send(ProcessSignal.kill, to: -id)
    }
  }

  /// The output so far.
  package var standardOutput: [UInt8] { output.bytes }
  package var standardError: [UInt8] { errors.bytes }
  package var outputText: String { String(decoding: standardOutput, as: UTF8.self) }
  package var errorText: String { String(decoding: standardError, as: UTF8.self) }

  /// `nil` while the program runs.
  package var exitStatus: ProgramEnd? { exit.read { $0 } }

  /// Writes to the standard input of a program that was started with `nil`.
  package func write(_ bytes: [UInt8]) {
    standardInput?.write(bytes)
  }

  package func closeInput() {
    standardInput?.close()
  }

  package func signal(_ number: Int32) {
    guard exitStatus == nil else { return }
    ProcessSignal.send(number, to: id)
  }

  /// Waits until the program has ended and all of its output has arrived; kills a program that does not end in time.
  @discardableResult
  package func wait(seconds: Int64 = 30) throws(TestSupportError) -> ProgramEnd {
    let deadline = Deadline.after(seconds: seconds)
    guard let status = exit.wait(before: deadline, until: { $0 != nil }, then: { $0 }) ?? nil else {
      ProcessSignal.send(ProcessSignal.kill, to: -id)
      throw .timedOut(waitingFor: "\(program) to end; it wrote: \(errorText)")
    }
    try output.waitForEnd(before: deadline)
    try errors.waitForEnd(before: deadline)
    return status
  }

  /// Waits until a line of the program's standard error contains `text`, and returns the line.
  package func waitForErrorLine(containing text: String, seconds: Int64 = 10) throws(TestSupportError) -> String {
    try errors.waitForLine(containing: text, before: .after(seconds: seconds))
  }

  package func waitForOutputLine(containing text: String, seconds: Int64 = 10) throws(TestSupportError) -> String {
    try output.waitForLine(containing: text, before: .after(seconds: seconds))
  }

  /// Memory in KiB as the kernel counts it; `nil` once the program has ended.
  package var memory: ProcessMemory? { ProcessMemory(of: id) }
}

/// How a program ended.
package enum ProgramEnd: Sendable, Hashable {
  case exited(Int32)
  case killed(signal: Int32)

  init(_ end: ProcessEnd) {
    self =
      switch end {
      case .exited(let status): .exited(status)
      case .killed(let signal): .killed(signal: signal)
      }
  }

  package var isSuccess: Bool { self == .exited(0) }
}

/// Resident memory of a running program, in KiB.
package struct ProcessMemory: Sendable {
  package let resident: Int
  /// The peak of resident memory.
  package let peak: Int

  /// `nil` if the process does not exist.
  init?(of process: Int32) {
    guard let status = try? readText("/proc/\(process)/status") else { return nil }
    func kibibytes(_ name: String) -> Int? {
      for line in status.split(separator: "\n") where line.hasPrefix(name) {
        return Int(line.filter(\.isNumber))
      }
      return nil
    }
    guard let resident = kibibytes("VmRSS:"), let peak = kibibytes("VmHWM:") else { return nil }
    self.resident = resident
    self.peak = peak
  }
}

/// This process's variables as `NAME=value`, without proxy variables, changed by `replacements`; an empty value removes one.
private func environmentOfTests(replacing replacements: [String: String]) -> [[UInt8]] {
  let proxies = ["http_proxy", "https_proxy", "all_proxy", "ftp_proxy", "no_proxy"]
  let kept = ProcessEnvironment.entries().filter { entry in
    let name = String(decoding: entry.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
    return replacements[name] == nil && !proxies.contains(name.lowercased())
  }
  return kept + replacements.filter { !$0.value.isEmpty }.map { Array("\($0.key)=\($0.value)".utf8) }
}

/// This process's variable of that name; `nil` when it is unset or empty.
package func environmentVariable(_ name: String) -> String? {
  ProcessEnvironment.value(of: name).flatMap { $0.isEmpty ? nil : $0 }
}
