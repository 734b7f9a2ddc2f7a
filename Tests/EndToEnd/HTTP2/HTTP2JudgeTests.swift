import TapelineTestSupport
import Testing

extension EndToEnd.HTTP2 {
  /// The short forms of the laboratory's tools.
  @Suite struct Judges {
    @Test func everyRuleOfBothSides() throws {
      let cases = try laboratory(["h2spec"])
      #expect(try cases.wait(seconds: 300).isSuccess, "\(cases.outputText)\(cases.errorText)")
    }

    @Test func hostilePeers() throws {
      let peers = try laboratory(["hostile2", "--quick"])
      #expect(try peers.wait(seconds: 300).isSuccess, "\(peers.outputText)\(peers.errorText)")
    }

    @Test func manyStreamsWithTokens() throws {
      let torture = try laboratory(["torture", "--quick", "--seed", "1", "--only", "http2"])
      #expect(try torture.wait(seconds: 180).isSuccess, "\(torture.outputText)\(torture.errorText)")
    }
  }
}
