import TapelineTestSupport
import Testing

extension EndToEnd {
  /// The short form of `scripts/lab/run torture`: both sides of the proxy are maltreated, and it must be as before afterwards.
  @Suite struct Torture {
    @Test(arguments: ["fuzz", "floods", "half-closed-clients", "half-closed-origins", "half-closed-tunnels"])
    func isSurvived(_ scenario: String) throws {
      let torture = try laboratory(["torture", "--quick", "--seed", "1", "--only", scenario])
      #expect(try torture.wait(seconds: 180).isSuccess, "\(torture.outputText)\(torture.errorText)")
    }
  }
}
