import TapelineOffline
import TapelineSystem
import TapelineTestSupport
import Testing

@testable import TapelineLive

@Suite("Port file")
struct PortFileTests {
  private let endpoints = [Endpoint.loopback(port: 8_888), Endpoint.loopback(port: 9)]

  @Test("What was written is read, the first address of several")
  func roundTrip() throws {
    let directory = try TemporaryDirectory()
    let file = directory.path("port")
    try PortFile.write(endpoints, to: file)
    #expect(try PortFile.read(file) == endpoints[0])
    try PortFile.write([endpoints[1]], to: file)
    #expect(try PortFile.read(file) == endpoints[1])
  }

  @Test("Nothing but the file is left in its directory")
  func draft() throws {
    let directory = try TemporaryDirectory()
    try PortFile.write(endpoints, to: directory.path("port"))
    try SystemCalls.remove(directory.path("port"))
    try Directory.remove(directory.path)
  }

  @Test("What is no regular file is written into, not replaced")
  func device() throws {
    try PortFile.write(endpoints, to: "/dev/null")
    #expect(try SystemCalls.status(of: "/dev/null").kind == .characterDevice)
  }

  @Test("Errors say which status to exit with")
  func errors() throws {
    let write = #expect(throws: CommandFailure.self) { try PortFile.write(endpoints, to: "/tapeline-no-such-directory/port") }
    #expect(write?.status == .cannotCreate)
    let missing = #expect(throws: CommandFailure.self) { try PortFile.read("/tapeline-no-such-directory/port") }
    #expect(missing?.status == .unavailable)
    let malformed = #expect(throws: CommandFailure.self) { try PortFile.read("/etc/passwd") }
    #expect(malformed?.status == .badInput)
  }
}
