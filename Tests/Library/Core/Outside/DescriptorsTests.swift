import FoundationEssentials
import Glibc
import TapelineCore
import TapelineTestSupport
import Testing

/// In a process of its own, which has few descriptors. Using up the last one is not tried: Dispatch ends a process that has none.
@Suite struct DescriptorsTests {
  private let outside: OutsideReport

  init() throws {
    outside = try OutsideReport()
  }

  @Test("4: far more requests than descriptors all have their answers")
  func crowd() async throws {
    let origin = try ScriptedOrigin(
      patience: 600, [.expectRequest, .respond(fields: ["Connection: close"], body: "ok"), .close])
    let (url, report) = (origin.url(), outside.path)
    await #expect(processExitsWith: .exitCode(42)) { [url = url as String, report = report as String] in
      let session = scarceSession()
      await expectAnswers(of: (0..<300).map { _ in session.request(url).serializingString() }, or: report)
      // Each of these needs two at a time.
      let files = (0..<100).map { _ in session.download(url).serializingString() }
      for file in files {
        let response = await file.response
        if response.value != "ok" { lose(response.debugDescription, report) }
      }
      exit(42)
    }
    outside.complain()
  }
}

/// A session that may open more connections than there are descriptors: 64 from here on.
private func scarceSession() -> Session {
  var limit = rlimit(rlim_cur: 64, rlim_max: 64)
  precondition(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
  var configuration = SessionConfiguration.patient
  configuration.httpMaximumConnectionsPerHost = 1_000
  return Session(configuration: configuration)
}

private func expectAnswers(of tasks: [DataTask<String>], or report: String) async {
  for task in tasks {
    let response = await task.response
    if response.value != "ok" { lose(response.debugDescription, report) }
  }
}

/// Says what was lost, once there is a descriptor for that.
private func lose(_ response: String, _ report: String) -> Never {
  for descriptor in Int32(3)..<64 { close(descriptor) }
  try? Data(response.utf8).write(to: URL(filePath: report))
  exit(1)
}
