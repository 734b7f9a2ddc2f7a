package import TapelineOffline
internal import TapelineSystem

/// A browser that is recorded from its first request on, with a profile of its own.
package enum Browser: String, CaseIterable, Sendable {
  /// Any browser that is made of it.
  case chromium
  case firefox

  /// In the order in which they are looked for.
  private var programs: [String] {
    switch self {
    case .chromium: ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge", "brave-browser"]
    case .firefox: ["firefox", "firefox-esr"]
    }
  }

  /// The command that starts it behind the proxy at `endpoint`; its profile is made in `directory`, and goes with it.
  ///
  /// - Parameter words: options and addresses for it.
  package func command(
    _ words: [String], endpoint: Endpoint, trust: TrustMaterial?, directory: String, environment: [String: String]
  ) throws(CommandFailure) -> [String] {
    guard let program = programs.lazy.compactMap({ InstalledProgram.path(of: $0, environment: environment) }).first else {
      throw CommandFailure(
        status: .commandNotFound, what: "--browser \(rawValue)", why: "none of \(programs.joined(separator: ", ")) is in PATH",
        remedy: "install one, or give its command after --")
    }
    let profile = "\(directory)/profile"
    do throws(SystemCallError) {
      try Directory.makeUnlessPresent(profile, mode: 0o700)
    } catch {
      throw CommandFailure(status: .cannotCreate, what: profile, why: error.text, remedy: "set TMPDIR to one that can be written")
    }
    switch self {
    case .chromium:
      return [program] + ChromiumFlags(endpoint: endpoint, keyPin: trust?.keyPin).options
        + ChromiumFlags.options(profile: profile)
        + words
    case .firefox:
      try FirefoxProfile(path: profile).fill(endpoint: endpoint, authority: trust?.authorityFile, environment: environment)
      return [program, "--no-remote", "--new-instance", "--profile", profile] + words
    }
  }
}

/// Looks programs up as a shell does.
enum InstalledProgram {
  static func path(of name: String, environment: [String: String]) -> String? {
    let directories = environment["PATH", default: ""].split(separator: ":")
    return directories.map { "\($0)/\(name)" }.first { SystemCalls.mayAccess($0, for: .executing) }
  }
}
