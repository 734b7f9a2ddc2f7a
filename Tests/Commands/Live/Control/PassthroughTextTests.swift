import Testing

@testable import TapelineLive

@Suite("The list of who is passed through")
struct PassthroughTextTests {
  @Test("A row each, in columns, with how long ago and how long still")
  func rows() {
    let clients = [
      RecordingStatus.PassedThrough(
        host: "api.example.com", client: "curl", why: "alert unknown_ca", since: 1_000_000, expires: 601_000_000),
      RecordingStatus.PassedThrough(
        host: "b", client: "a client at ::1", why: "it hung up", since: 90_000_000, expires: 95_000_000),
    ]
    #expect(
      PassthroughText.lines(for: clients, at: 91_000_000) == [
        "host             client           why               since      expires",
        "api.example.com  curl             alert unknown_ca  1m30s ago  in 8m30s",
        "b                a client at ::1  it hung up        1.00s ago  in 4.00s",
      ])
  }
}
