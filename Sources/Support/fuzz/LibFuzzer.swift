internal import TapelineFuzzing
internal import TapelineSystem

/// The fuzzing engine of the compiler's runtime (`FuzzerInterface.h`). It returns only when it is done.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ argumentCount: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ testOneInput: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// Runs libFuzzer on the target that `TAPELINE_FUZZ_TARGET` names; the arguments are libFuzzer's. Only `scripts/fuzz` builds it.
///
/// The name is not an argument because libFuzzer restarts itself with its own, to shrink an input or to run several processes.
@main enum LibFuzzer {
  /// Looked up once: a C function has no context.
  private static let target: FuzzTarget = {
    guard let name = ProcessEnvironment.value(of: "TAPELINE_FUZZ_TARGET"), let target = FuzzTarget(rawValue: name) else {
      fatalError("TAPELINE_FUZZ_TARGET is one of \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return target
  }()

  static func main() {
    _ = target
    var count = CommandLine.argc
    var arguments = unsafe CommandLine.unsafeArgv
    CurrentProcess.exit(
      unsafe runDriver(&count, &arguments) { bytes, count in
        let input = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
        do throws(OracleViolation) {
          try LibFuzzer.target.check(input)
        } catch {
          fatalError("\(error)")
        }
        return 0
      })
  }
}
