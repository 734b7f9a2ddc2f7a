internal import TapelineSystem

/// The options with which Chromium, and all browsers made of it, are recorded.
struct ChromiumFlags {
  /// For scripts, which pass it on: `chromium $TAPELINE_CHROMIUM_FLAGS`. No option in it has a blank.
  static let variable = "TAPELINE_CHROMIUM_FLAGS"

  let options: [String]

  var text: String { options.joined(separator: " ") }

  /// - Parameter keyPin: of the authority to trust; absent where HTTPS is not decrypted. Chromium heeds it only with a profile
  ///   that is
  ///   named (`--user-data-dir`).
  init(endpoint: Endpoint, keyPin: String?) {
    options =
      ["--proxy-server=http://\(endpoint.reachable)", "--proxy-bypass-list=<-loopback>"]
      + (keyPin.map { ["--ignore-certificate-errors-spki-list=\($0)"] } ?? [])
  }
}

extension ChromiumFlags {
  /// A profile of its own, in which nothing asks the user anything, and Chromium sends as little as it can on its own account.
  static func options(profile: String) -> [String] {
    [
      "--user-data-dir=\(profile)", "--no-first-run", "--no-default-browser-check", "--disable-background-networking",
      "--disable-component-update", "--disable-sync", "--disable-default-apps",
    ]
      // Its sandbox does not let the superuser in.
      + (CurrentUser.effectiveID == 0 ? ["--no-sandbox"] : [])
  }
}
