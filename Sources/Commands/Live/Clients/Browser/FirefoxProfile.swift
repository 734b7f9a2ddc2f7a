internal import TapelineOffline
internal import TapelineLoop
internal import TapelineSystem

/// A new profile of Firefox, which uses the proxy for everything and trusts our authority.
struct FirefoxProfile {
  let path: String

  /// - Parameter authority: PEM; absent where HTTPS is not decrypted.
  func fill(endpoint: Endpoint, authority: String?, environment: [String: String]) throws(CommandFailure) {
    let file = "\(path)/user.js"
    do throws(PrivateFileError) {
      try WholeFile.write(Array(Self.preferences(endpoint: endpoint).utf8), to: file)
    } catch {
      throw CommandFailure(
        status: .cannotCreate, what: file, why: error.description, remedy: "set TMPDIR to one that can be written")
    }
    guard let authority else { return }
    guard let certutil = InstalledProgram.path(of: "certutil", environment: environment) else {
      Console.say(
        "Firefox is not told whom to trust, and refuses HTTPS: there is no certutil; install libnss3-tools (nss-tools, nss)")
      return
    }
    let database = "sql:\(path)"
    for words in [
      ["-N", "-d", database, "--empty-password"], ["-A", "-d", database, "-n", "tapeline", "-t", "C,,", "-i", authority],
    ] {
      guard try SilentProcess.run([certutil] + words) == 0 else {
        Console.say("Firefox is not told whom to trust, and refuses HTTPS: certutil \(words[0]) failed")
        return
      }
    }
  }

  /// The proxy, also for this machine; and no requests of Firefox's own before the first page.
  static func preferences(endpoint: Endpoint) -> String {
    let address = endpoint.reachable.address
    let host = "\"\(address.host)\""
    let values: [(name: String, value: String)] = [
      ("network.proxy.type", "1"), ("network.proxy.http", host), ("network.proxy.http_port", "\(address.port)"),
      ("network.proxy.ssl", host), ("network.proxy.ssl_port", "\(address.port)"), ("network.proxy.no_proxies_on", "\"\""),
      ("network.proxy.allow_hijacking_localhost", "true"), ("app.normandy.enabled", "false"), ("app.update.enabled", "false"),
      ("browser.aboutwelcome.enabled", "false"), ("browser.newtabpage.enabled", "false"),
      ("browser.safebrowsing.downloads.enabled", "false"), ("browser.safebrowsing.malware.enabled", "false"),
      ("browser.safebrowsing.phishing.enabled", "false"), ("browser.shell.checkDefaultBrowser", "false"),
      ("browser.startup.homepage_override.mstone", "\"ignore\""), ("browser.startup.page", "0"),
      ("datareporting.policy.dataSubmissionEnabled", "false"), ("extensions.update.enabled", "false"),
      ("network.captive-portal-service.enabled", "false"), ("network.connectivity-service.enabled", "false"),
      ("toolkit.telemetry.reportingpolicy.firstRun", "false"),
    ]
    return values.map { "user_pref(\"\($0.name)\", \($0.value));\n" }.joined()
  }
}
