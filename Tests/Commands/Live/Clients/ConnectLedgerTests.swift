import TapelineLoop
import Testing

@testable import TapelineLive

@Suite("Ledger of a command's own connections")
struct ConnectLedgerTests {
  private func address(_ port: UInt16) throws -> SocketAddress {
    try #require(SocketAddress(literal: "127.0.0.1", port: port))
  }

  private func call(_ ledger: inout ConnectLedger, _ program: String, _ port: UInt16) throws {
    let destination = try address(port)
    ledger.note(
      Bypass(program: program, id: 1, destination: destination, reason: nil, connections: 0), to: destination)
  }

  @Test("Connections that came about are counted for each program and address; refused calls are only tries")
  func outcomes() throws {
    var ledger = ConnectLedger()
    for _ in 0..<3 { try call(&ledger, "python3", 1) }
    try call(&ledger, "curl", 2)
    #expect(!ledger.isSettled)
    for _ in 0..<2 { ledger.note(connectionTo: try address(1), cameAbout: true) }
    ledger.note(connectionTo: try address(1), cameAbout: false)
    ledger.note(connectionTo: try address(2), cameAbout: false)
    #expect(ledger.isSettled)
    #expect(ledger.report.connections.map(\.program) == ["python3"])
    #expect(ledger.report.connections.map(\.connections) == [2])
    #expect(ledger.report.suspects.map(\.program) == ["curl"])
    #expect(ledger.report.isComplete)
  }

  @Test("Connections of other programs, to this address or others, are not the command's")
  func others() throws {
    var ledger = ConnectLedger()
    ledger.note(connectionTo: try address(9), cameAbout: true)
    try call(&ledger, "python3", 1)
    try call(&ledger, "curl", 1)
    for _ in 0..<5 { ledger.note(connectionTo: try address(1), cameAbout: true) }
    ledger.note(connectionTo: try address(9), cameAbout: true)
    #expect(ledger.report.connections.map(\.program) == ["python3", "curl"])
    #expect(ledger.report.count == 2)
  }

  @Test("Every call counts where the kernel does not tell of the outcomes")
  func unknown() throws {
    var ledger = ConnectLedger()
    #expect(ledger.isEmpty)
    try call(&ledger, "python3", 1)
    ledger.knowsOutcomes = false
    #expect(ledger.isSettled)
    #expect(ledger.report.count == 1)
  }
}
