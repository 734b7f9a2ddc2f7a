import FoundationEssentials
import Glibc
import TapelineCore
import TapelineTestSupport
import Testing

/// In a process of its own, whose descriptors can be used up.
@Suite struct DescriptorsTests {
  @Test("4: requests for which there is no descriptor wait for one: one that idles, or one that becomes free")
  func exhaustion() async throws {
    let keeping = try ScriptedOrigin(patience: 600, [.forever([.expectRequest, .respond(body: "ok")])])
    let closing = try ScriptedOrigin(
      patience: 600, [.expectRequest, .respond(fields: ["Connection: close"], body: "ok"), .close])
    await #expect(processExitsWith: .exitCode(42)) { [keeping = keeping.url() as String, closing = closing.url() as String] in
      var limit = rlimit(rlim_cur: 64, rlim_max: 64)
      precondition(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
      var configuration = SessionConfiguration.default
      configuration.httpMaximumConnectionsPerHost = 1_000
      let session = Session(configuration: configuration)
      guard await session.request(keeping).serializingString().response.value == "ok" else { exit(1) }
      var held: [Int32] = []
      while true {
        let descriptor = dup(1)
        guard descriptor >= 0 else { break }
        held.append(descriptor)
      }
      // All that there is for them is the first request's connection: to be used again, or to be given up.
      for url in [keeping, closing] {
        let waiting = (0..<40).map { _ in session.request(url).serializingString() }
        for task in waiting {
          let response = await task.response
          guard response.value == "ok" else { fatalError("a request was lost: \(response)") }
        }
      }
      // And now there is nothing, until somebody else closes something.
      let last = dup(1)
      if last >= 0 { held.append(last) }
      let waiting = (0..<10).map { _ in session.request(closing).serializingString() }
      Task.detached { [held] in for descriptor in held.suffix(3) { close(descriptor) } }
      for task in waiting {
        let response = await task.response
        guard response.value == "ok" else { fatalError("a request was lost: \(response)") }
      }
      exit(42)
    }
  }

  @Test("4: far more requests than descriptors all have their answers")
  func crowd() async throws {
    let origin = try ScriptedOrigin(patience: 600, [.expectRequest, .respond(fields: ["Connection: close"], body: "ok"), .close])
    await #expect(processExitsWith: .exitCode(42)) { [url = origin.url() as String] in
      var limit = rlimit(rlim_cur: 64, rlim_max: 64)
      precondition(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
      var configuration = SessionConfiguration.default
      configuration.httpMaximumConnectionsPerHost = 1_000
      let session = Session(configuration: configuration)
      let tasks = (0..<300).map { _ in session.download(url).serializingString() }
      for task in tasks {
        let response = await task.response
        guard response.value == "ok" else { fatalError("a request was lost: \(response)") }
      }
      exit(42)
    }
  }
}
