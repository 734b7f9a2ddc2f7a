import TapelineTestSupport
import Testing

enum GoProgram {
  /// Builds a static program of one file and returns its path. Build it before anything is recorded: Go's tools would find a
  /// proxy in their environment.
  static func build(_ source: String, in directory: TemporaryDirectory) throws -> String {
    let file = try directory.write(source, to: "program.go")
    let built = directory.path("program")
    let build = try TestProcess(
      "go", ["build", "-o", built, file],
      environment: [
        "GO111MODULE": "off", "GOFLAGS": "", "CGO_ENABLED": "0", "GOCACHE": "\(repositoryRoot)/.build-tools/go-cache",
      ])
    try #require(try build.wait(seconds: 180).isSuccess, "\(build.errorText)")
    return built
  }
}
