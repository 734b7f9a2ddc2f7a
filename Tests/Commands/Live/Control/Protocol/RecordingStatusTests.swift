import TapelineHAR
import TapelineProxy
import TapelineTime
import Testing

@testable import TapelineLive

@Suite("Recording status")
struct RecordingStatusTests {
  static let sample = RecordingStatus(
    processID: 7, version: "1.2", title: "curl x", endpoints: ["127.0.0.1:1", "[::1]:2"],
    interception: .init(directory: "/ca", upstreamAuthorities: ["/root.pem"]),
    traffic: .init(inFlight: 2, openTunnels: 1, clients: 3, begun: 40, quietMilliseconds: 12),
    log: .init(
      file: "/a.har", fileSize: 2_048, fileEntries: 30, files: 2, page: "page_1", recorded: 38, failed: 1, withoutBodies: 0,
      notRecorded: 0))

  @Test("Everything survives the way through JSON, what is absent too")
  func roundTrip() throws {
    var status = Self.sample
    #expect(try RecordingStatus(members: status.members) == status)
    status.interception = nil
    status.asksForCredentials = true
    status.traffic.quietMilliseconds = nil
    #expect(try RecordingStatus(members: status.members) == status)
    #expect(status.members["interception"] == .null)
    status.unread = .init(
      tunnels: 3, reasons: [.init(name: "pinned", tunnels: 2), .init(name: "h2-only", tunnels: 1)],
      hosts: [.init(name: "h", reason: "pinned", tunnels: 2)])
    status.passedThrough = [.init(host: "h", client: "curl", why: "it hung up", since: 1, expires: 2)]
    #expect(try RecordingStatus(members: status.members) == status)
    status.name = "web"
    status.directory = "/home"
    status.traffic.streams = 1
    status.queue = .init(exchanges: 3, bytes: 4_096, limit: 1 << 20, overload: "wait", waited: 2)
    #expect(try RecordingStatus(members: status.members) == status)
    var earlier = Self.sample.members
    for member in ["name", "directory"] { earlier[member] = nil }
    earlier["unread"] = nil
    earlier["passthrough"] = nil
    #expect(try RecordingStatus(members: earlier) == Self.sample, "a recording by an earlier version")
  }

  @Test("A member that is missing is named")
  func missing() {
    var members = Self.sample.members
    members["log"] = ["file": "/a.har"]
    #expect(throws: ControlMessageError.missing(member: "log.fileSize")) { try RecordingStatus(members: members) }
    members["pid"] = "7"
    #expect(throws: ControlMessageError.missing(member: "pid")) { try RecordingStatus(members: members) }
  }

  @Test("Lines for people")
  func text() {
    #expect(
      StatusText.lines(for: Self.sample) == [
        "curl x: process 7, on 127.0.0.1:1 and [::1]:2, HTTPS is intercepted",
        "in flight 2, tunnels 1, clients 3, begun 40",
        "recorded 38, failed 1, in 2 files, now page_1, /a.har (2.0 KiB)",
      ])
    var status = Self.sample
    status.unread = .init(
      tunnels: 3, reasons: [],
      hosts: [.init(name: "h", reason: "pinned", tunnels: 2), .init(name: "i:1", reason: "h2-only", tunnels: 1)])
    status.passedThrough = [.init(host: "h", client: "curl", why: "it hung up", since: 1, expires: 2)]
    #expect(
      StatusText.lines(for: status).suffix(2) == [
        "3 tunnels not read: h (pinned), i:1 (h2-only)", "passed through now: curl to h (tapeline passthrough)",
      ])
    status = Self.sample
    status.name = "web"
    status.traffic.streams = 1
    #expect(
      StatusText.lines(for: status).prefix(2) == [
        "curl x: process 7 (web), on 127.0.0.1:1 and [::1]:2, HTTPS is intercepted",
        "in flight 2 (1 stream), tunnels 1, clients 3, begun 40",
      ])
    status = Self.sample
    status.interception = nil
    status.log.files = 1
    status.log.withoutBodies = 4
    status.log.notRecorded = 5
    let lines = StatusText.lines(for: status)
    #expect(lines[0].hasSuffix("HTTPS is tunnelled"))
    #expect(
      lines[2] == "recorded 38, failed 1, in 1 file, now page_1, 4 without their bodies, 5 not recorded, /a.har (2.0 KiB)")
    status = Self.sample
    status.queue = .init(exchanges: 0, bytes: 2_000, limit: 512 << 20, overload: "drop", waited: 0)
    #expect(StatusText.lines(for: status) == StatusText.lines(for: Self.sample), "every exchange waits a moment")
    status.queue = .init(exchanges: 31_214, bytes: 43 << 20, limit: 512 << 20, overload: "wait", waited: 7)
    #expect(
      StatusText.lines(for: status)[2] == "recorded 38, failed 1, in 2 files, now page_1, "
        + "31214 waiting for the disk (43.0 MiB of 512.0 MiB), 7 waited for the recorder, /a.har (2.0 KiB)")
  }
}
