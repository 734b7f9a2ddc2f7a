internal import TapelineConsole
import TapelineLoop
import Testing

@testable import TapelineCapture
@testable import TapelineClients

@Suite("Silence text")
struct SilenceTextTests {
  private let nothing = Shortage(recorded: 0, filtered: 0, required: 1)

  private func lines(_ bypasses: [Bypass], _ shortage: Shortage? = nil) -> [String] {
    SilenceText.lines(bypasses, shortage ?? nothing)
  }

  private func bypass(_ reason: Bypass.Reason?, seen: Bool = true, id: Int32 = 4711) throws -> Bypass {
    let address = try #require(SocketAddress(literal: "127.0.0.1", port: 9751))
    return Bypass(program: "python3", id: id, destination: seen ? address : nil, reason: reason)
  }

  @Test("A line names the process, its destination, the cause and the remedy")
  func causes() throws {
    #expect(
      lines([try bypass(nil)]) == [
        "nothing was recorded: python3 (4711) connected to 127.0.0.1:9751 by itself; if it speaks HTTP there, make it use the proxy that HTTP_PROXY names"
      ])
    #expect(
      lines([try bypass(.excepted(variable: "NO_PROXY", value: "localhost"))]) == [
        "nothing was recorded: python3 (4711) connected to 127.0.0.1:9751 by itself: its environment has NO_PROXY=localhost; leave NO_PROXY as tapeline sets it"
      ])
    #expect(
      lines([try bypass(.go, seen: false)]) == [
        "nothing was recorded: python3 (4711): it is written in Go, which uses no proxy for this machine; use this machine's name, as hostname prints it, instead of localhost or 127.0.0.1"
      ])
  }

  @Test("The text reports a missing cause, names --filter as a cause, and counts surplus lines")
  func others() throws {
    #expect(lines([]).count == 1)
    #expect(lines([])[0].contains("nothing came to the proxy"))
    #expect(
      lines([], Shortage(recorded: 0, filtered: 2, required: 1)) == [
        "nothing was recorded: --filter has left out 2 exchanges; check the filter"
      ])
    let many = lines(try (1...5).map { try bypass(nil, id: $0) })
    #expect(many.count == 4)
    #expect(many.last == "nothing was recorded: 2 more like these")
  }

  @Test("Fewer exchanges than required fail with status 1, and the message says how to allow that")
  func shortage() {
    #expect(Shortage(recorded: 0, filtered: 0, required: 0).failure == nil)
    #expect(Shortage(recorded: 2, filtered: 0, required: 2).failure == nil)
    #expect(nothing.failure?.status == .conditionFailed)
    #expect(nothing.failure?.description == "run: 0 exchanges were recorded, and 1 is required; --require 0 permits that")
    #expect(
      Shortage(recorded: 1, filtered: 3, required: 2).failure?.description
        == "run: 1 exchange was recorded (3 left out by --filter), and 2 are required; see --require")
  }
}
