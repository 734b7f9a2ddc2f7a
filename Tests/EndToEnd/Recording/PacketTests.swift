import Glibc
import TapelineTestSupport
import Testing

extension EndToEnd {
  /// The short form of `scripts/lab/run packets`, without a bound on how late a mark is: a busy machine may be late, and late to
  /// stamp packets. That every mark has its packet, and that none came 100 ms before it, holds on any machine.
  @Suite struct Packets {
    @Test(.enabled(if: geteuid() == 0, "only root can capture packets"), arguments: ["http1", "http1-tls", "http2", "http2-tls"])
    func areBehindEveryMark(_ protocolName: String) throws {
      let options = ["--quick", "--entries", "60", "--bound", "1e9", "--early", "1e5", "--only", protocolName]
      let packets = try laboratory(["packets"] + options)
      #expect(try packets.wait(seconds: 120).isSuccess, "\(packets.outputText)\(packets.errorText)")
    }
  }
}
