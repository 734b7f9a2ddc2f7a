import TapelineTestSupport

@testable import TapelineLive

/// Recordings that say of themselves what they are told to, in a runtime directory of their own.
final class RunningRecordings {
  private let directory: TemporaryDirectory
  private(set) var servers: [ControlServer] = []

  init() throws {
    directory = try TemporaryDirectory()
  }

  deinit {
    for server in servers {
      server.close()
    }
  }

  /// A shell that finds them, and nothing else.
  func shell(in directory: String? = "/elsewhere", _ variables: [String: String] = [:]) -> CallingShell {
    let places = ["XDG_RUNTIME_DIR": self.directory.path, "TMPDIR": self.directory.path("none")]
    return CallingShell(environment: places.merging(variables) { $1 }, directory: directory)
  }

  /// - Returns: the path of its socket.
  @discardableResult
  func add(_ endpoints: [String], process: Int = 7, name: String? = nil, in directory: String = "/home") throws -> String {
    var status = RecordingStatusTests.sample
    status.processID = process
    status.endpoints = endpoints
    status.name = name
    status.directory = directory
    let members = status.members
    let server = try ControlServer(directories: [ControlDirectory(path: self.directory.path("tapeline"))]) { _ in .result(members)
    }
    servers.append(server)
    return server.path
  }
}
