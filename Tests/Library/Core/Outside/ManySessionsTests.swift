import Dispatch
import FoundationEssentials
import Glibc
import TapelineCore
import TapelineTestSupport
import Testing

/// Sessions that come and go, in processes of their own, whose descriptors, threads and bytes can be counted.
@Suite struct ManySessionsTests {
  private let outside: OutsideReport

  init() throws {
    outside = try OutsideReport()
  }

  @Test("A thousand sessions, used and released, leave as many descriptors, threads and bytes as before")
  func thousand() async throws {
    let origin = try ScriptedOrigin(patience: 600, [.forever([.expectRequest, .respond(body: "ok")])])
    let (url, report) = (origin.url(), outside.path)
    await #expect(processExitsWith: .exitCode(42)) { [url = url as String, report = report as String] in
      for _ in 0..<50 { await useSession(url) }
      let before = Resources.settled(at: nil)
      for _ in 0..<1_000 { await useSession(url) }
      let after = Resources.settled(at: before)
      guard after.descriptors <= before.descriptors, after.threads <= before.threads, after.bytes < before.bytes + 8_000_000
      else {
        say("\(before), then \(after)", report)
      }
      exit(42)
    }
    outside.complain()
  }

  @Test("Without a descriptor a session's requests fail and name the limit; with one again, they work")
  func noDescriptor() async throws {
    let origin = try ScriptedOrigin(patience: 600, [.forever([.expectRequest, .respond(body: "ok")])])
    let (url, report) = (origin.url(), outside.path)
    await #expect(processExitsWith: .exitCode(42)) { [url = url as String, report = report as String] in
      // Dispatch and the test's own machinery have theirs by then.
      await useSession(url)
      _ = Resources.settled(at: nil)
      var limit = rlimit(rlim_cur: 100, rlim_max: 100)
      precondition(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
      let session = Session(configuration: .patient)
      var taken: [Int32] = []
      while case let descriptor = dup(1), descriptor >= 0 { taken.append(descriptor) }
      for isLeft in 0..<4 {
        for _ in 0..<5 {
          let response = await session.request(url).serializingString().response
          guard case .sessionTaskFailed(let error)? = response.error, "\(error)".contains("100"), response.request != nil else {
            for descriptor in taken { close(descriptor) }
            say("\(isLeft) left: \(response.debugDescription)", report)
          }
        }
        guard isLeft < 3, let last = taken.popLast() else { break }
        close(last)
      }
      for descriptor in taken { close(descriptor) }
      let response = await session.request(url).serializingString().response
      guard response.value == "ok" else { say("later: \(response.debugDescription)", report) }
      exit(42)
    }
    outside.complain()
  }
}

/// One session with two requests, one of which is cut short by its end.
private func useSession(_ url: String) async {
  let session = Session(configuration: .patient)
  _ = await session.request(url).serializingString().response
  session.request(url).response { _ in }
}

private func say(_ text: String, _ report: String) -> Never {
  try? Data(text.utf8).write(to: URL(filePath: report))
  exit(1)
}

/// What a process has of the system.
private struct Resources {
  let descriptors: Int
  let threads: Int
  /// Resident in memory.
  let bytes: Int

  private static var current: Resources {
    Resources(
      descriptors: count("/proc/self/fd"), threads: count("/proc/self/task"), bytes: residentPages * Int(getpagesize()))
  }

  private static var residentPages: Int {
    let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
    return fields.dropFirst().first.flatMap { Int($0) } ?? 0
  }

  private static func count(_ directory: String) -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: directory).count) ?? 0
  }

  /// Once as little is left as at `earlier`, or a minute has passed: sessions end on threads of their own.
  static func settled(at earlier: Resources?) -> Resources {
    let deadline = Deadline.after(seconds: earlier == nil ? 2 : 60)
    var last = current
    while !deadline.hasPassed {
      last = current
      if let earlier, last.descriptors <= earlier.descriptors, last.threads <= earlier.threads { break }
      usleep(1_000)
    }
    return last
  }
}
