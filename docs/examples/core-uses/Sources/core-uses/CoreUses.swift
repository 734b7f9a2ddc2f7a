import TapelineCore

/// Runs every use against a server, says what came of each, and fails if one did not come to what it should: see `scripts/lab/run library-server`.
@main
enum CoreUses {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4 else { throw Unexpected("usage: core-uses URL TLS-URL CERTIFICATE") }
    let server = Server(url: arguments[1], secureURL: arguments[2], certificateFile: arguments[3])

    var hasFailed = false
    for use in uses {
      do {
        print("ok      \(use.name): \(try await use.run(server))")
      } catch {
        print("FAILED  \(use.name): \(error)")
        hasFailed = true
      }
    }
    if hasFailed { throw Unexpected("not every use works") }
  }

  private static let uses = [
    Use("GET JSON", getJSON),
    Use("POST a form", postForm),
    Use("POST JSON", postJSON),
    Use("upload a file", uploadFile),
    Use("multipart form", uploadMultipart),
    Use("download, resumed", download),
    Use("stream", stream),
    Use("retry", retry),
    Use("pinning", pin),
    Use("async", fetchAll),
    Use("record", record),
  ]
}

/// One way to use the library.
struct Use: Sendable {
  let name: String
  let run: @Sendable (Server) async throws -> String

  /// - Parameter run: says what it came to.
  init(_ name: String, _ run: @escaping @Sendable (Server) async throws -> String) {
    self.name = name
    self.run = run
  }
}

/// Whom the uses talk to.
struct Server: Sendable {
  let url: String
  let secureURL: String
  /// What the server shows at `secureURL`, signed by itself.
  let certificateFile: String
}

/// Something is not as it should be.
struct Unexpected: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// What the server is asked for.
struct Tape: Codable, Sendable, Equatable {
  var title: String
  var minutes: Int
}
