import TapelineTLS
import Testing

@testable import TapelineTransport

@Suite struct SessionLineagesTests {
  private let authority: TestAuthority
  private let route = Route(host: "localhost", port: 443, security: .tls(serverName: "localhost"))

  init() throws {
    authority = try TestAuthority()
  }

  private func handshake(_ lineage: UInt64, resuming resumed: UInt64? = nil) -> ClientHandshake {
    ClientHandshake(lineage: lineage, resumed: resumed, applicationProtocols: [.http11])
  }

  @Test func onlyAClientThatResumesGetsASessionAndItsOwn() throws {
    let sessions = try authority.sessions(2)
    let lineages = SessionLineages()
    lineages.put(sessions[0], of: handshake(1), to: route)
    lineages.put(sessions[1], of: handshake(2), to: route)
    #expect(lineages.session(for: handshake(3), to: route) == nil)
    #expect(lineages.session(for: handshake(3, resuming: 1), to: route) === sessions[0])
    #expect(lineages.session(for: handshake(3, resuming: 2), to: route) === sessions[1])
    #expect(lineages.session(for: handshake(4, resuming: 1), to: route) === sessions[0], "a client may use its ticket twice")
    #expect(lineages.session(for: handshake(3, resuming: 9), to: route) == nil)
    #expect(lineages.session(for: handshake(3, resuming: 1), to: Route(host: "localhost", port: 444)) == nil)
  }

  @Test func aSessionThatLivesOnIsTheHeirsToo() throws {
    let session = try #require(try authority.sessions(1, version: .tls12).first)
    let lineages = SessionLineages()
    lineages.put(session, of: handshake(1), to: route)
    #expect(lineages.session(for: handshake(2, resuming: 1), to: route) === session)
    #expect(lineages.session(for: handshake(3, resuming: 2), to: route) === session)
  }

  @Test("A client of TLS 1.2 keeps its ticket, which stands for the session that the origin gave last")
  func aRenewedSessionTakesTheOldOnesPlace() throws {
    let sessions = try authority.sessions(2, version: .tls12)
    let lineages = SessionLineages()
    let manner = HelloManner(newestVersion: .tls12, takesTickets: true, authenticatesLater: false)
    lineages.put(sessions[0], of: handshake(1), to: route)
    let again = ClientHandshake(lineage: 2, resumed: 1, applicationProtocols: [.http11], manner: manner)
    lineages.put(sessions[1], of: again, to: route)
    #expect(lineages.session(for: handshake(3, resuming: 1), to: route) === sessions[1])
    #expect(lineages.session(for: handshake(3, resuming: 2), to: route) === sessions[1])
  }
}
