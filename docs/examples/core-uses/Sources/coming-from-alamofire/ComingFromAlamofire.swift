import Foundation
import TapelineCore

/// Runs what `docs/coming-from-alamofire.md` shows, as far as that needs no more than a server: see `scripts/lab/run library-server`.
@main
enum ComingFromAlamofire {
  static func main() async throws {
    guard CommandLine.arguments.count == 4 else { throw Unexpected("usage: coming-from-alamofire URL TLS-URL CERTIFICATE") }
    let url = CommandLine.arguments[1]
    try await expect("requests", "Loopback", requests(url))
    try await expect("handlers", "two handlers", handlers(url))
    try await expect("uploads", "2 parts", uploads(url))
    try await expect("downloads", "36 bytes", downloads(url))
    try await expect("streams", "14 characters", streams(url))
    try await expect("interceptors", "attempt 3", interceptors(url))
    try await expect("authentication", "refreshed to new", authentication(url))
    try await expect("choices", "SUCCESS: 36", choices(url))
    try await expect("conveniences", "2 true true true", conveniences())
    try await expect("upload stream", "1000 bytes", uploadStream(url))
    try await expect("one type parameter", "Loopback", oneTypeParameter(url).value?.title ?? "")
    try await expect("progress", "1.0", "\(progress(url))")
    try await expect("own time-out", "true", "\(ownTimeout(url))")
  }

  private static func expect(_ name: String, _ wanted: String, _ found: String) async throws {
    guard found == wanted else { throw Unexpected("\(name): \(found), not \(wanted)") }
    print("ok      \(name): \(found)")
  }
}

/// What the server is asked for.
struct Tape: Codable, Sendable, Equatable {
  var title: String
  var minutes: Int
}

/// Something is not as it should be.
struct Unexpected: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Waits for a handler.
struct Gate: Sendable {
  private let opened = AsyncStream.makeStream(of: Void.self)

  func open() {
    opened.continuation.finish()
  }

  func wait() async {
    for await _ in opened.stream {}
  }
}
