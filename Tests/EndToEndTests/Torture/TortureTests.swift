import TapelineTestSupport
import Testing

extension EndToEnd {
  /// The short form of `scripts/torture`: both sides of the proxy are maltreated, and it must be as before afterwards.
  @Suite struct Torture {
    @Test(arguments: ["fuzz", "floods", "half-closed-clients", "half-closed-origins", "half-closed-tunnels"])
    func isSurvived(_ scenario: String) throws {
      let torture = try TestProcess(
        "python3", ["-B", "\(repositoryRoot)/scripts/torture.d", "--quick", "--seed", "1", "--only", scenario],
        environment: ["TAPELINE_BINARY": TapelineProcess.binary])
      #expect(try torture.wait(seconds: 180).isSuccess, "\(torture.outputText)\(torture.errorText)")
    }
  }
}
