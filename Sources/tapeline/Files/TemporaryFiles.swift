/// Where temporary files go.
enum TemporaryFiles {
  static func directory(_ environment: [String: String]) -> String {
    environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
  }
}
