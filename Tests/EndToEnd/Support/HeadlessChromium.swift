import TapelineTestSupport
import Testing

/// Chromium without a window, which loads a page and prints it as it is in the end.
enum HeadlessChromium {
  /// - Parameters:
  ///   - profile: a directory of its own.
  ///   - hash: of the key of an authority that it trusts, as `publicKeyHash` gives it.
  static func command(printing url: String, profile: String, trusting hash: String, _ options: [String] = []) -> [String] {
    [
      "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-default-apps",
      "--user-data-dir=\(profile)", "--ignore-certificate-errors-spki-list=\(hash)",
    ] + options + ["--dump-dom", url]
  }

  /// Makes our authority in `directory`, and returns the hash of its key, before any proxy runs.
  static func publicKeyHash(in directory: String) throws -> String {
    func tapeline(_ arguments: [String]) throws -> String {
      let process = try TestProcess(TapelineProcess.binary, ["ca"] + arguments + ["--ca-dir", directory])
      try #require(try process.wait().isSuccess, "\(process.errorText)")
      return process.outputText
    }
    _ = try tapeline(["create"])
    return String(try tapeline(["export", "--format", "spki"]).prefix { $0 != "\n" })
  }
}
