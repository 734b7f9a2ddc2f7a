// swift-tools-version: 6.3
import PackageDescription

/// Every target is built by the same strict rules: pointers are marked `unsafe`, imports are explicit.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let histogram = Target.Dependency.product(name: "Histogram", package: "hdrhistogram-swift")

/// The last folder of a path, with the prefix that the names of modules have.
func name(_ path: String) -> String { "Tapeline" + (path.split(separator: "/").last ?? "") }

/// Rooms are named by their folder, the program and what is C (`CTapeline`) by the target.
func targets(_ names: [String]) -> [Target.Dependency] {
  names.map { need in
    let isC = need.first == "C" && need.dropFirst().first?.isUppercase == true
    return .target(name: isC || need == "tapeline" ? need : name(need))
  }
}

/// A room of a floor: `Wire/HTTP` is the module `TapelineHTTP`.
func module(_ path: String, _ needs: String..., products: [Target.Dependency] = [], resources: [Resource]? = nil) -> Target {
  .target(
    name: name(path), dependencies: targets(needs) + products, path: "Sources/\(path)", resources: resources,
    swiftSettings: strict)
}

func program(_ name: String, _ path: String, _ needs: String..., products: [Target.Dependency] = []) -> Target {
  .executableTarget(name: name, dependencies: targets(needs) + products, path: "Sources/\(path)", swiftSettings: strict)
}

/// The tests of a room lie as the room does.
func tests(_ path: String, _ needs: String..., products: [Target.Dependency] = [], named given: String? = nil) -> Target {
  .testTarget(
    name: given ?? name(path) + "Tests", dependencies: targets(needs) + products, path: "Tests/\(path)", swiftSettings: strict)
}

func system(_ name: String, pkgConfig: String? = nil, packages: String...) -> Target {
  .systemLibrary(name: name, path: "Sources/Support/\(name)", pkgConfig: pkgConfig, providers: [.apt(packages)])
}

func c(_ name: String, links libraries: String...) -> Target {
  .target(name: name, path: "Sources/Support/\(name)", linkerSettings: libraries.map { .linkedLibrary($0) })
}

let package = Package(
  name: "tapeline",
  products: [
    .library(name: "TapelineCore", targets: ["TapelineCore"]),
    .library(name: "TapelineHAR", targets: ["TapelineHAR"]),
    .library(name: "TapelineRecorder", targets: ["TapelineRecorder"]),
    .executable(name: "tapeline", targets: ["tapeline"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
  ],
  targets: [
    // Ground: text and tables, the system and what it says of itself, time and its calendar, digests.
    module("Ground/Base", "CVectors"),
    module("Ground/System", "Base", "CTapeline"),
    module("Ground/Time", "Base", "System"),
    module("Ground/Digest", "Base", "COpenSSL"),

    // Wire: the protocols without sockets, then the event loop, and one attempt of a request on it.
    module("Wire/HTTP", "Base"),
    module("Wire/HTTP2", "Base", "Time", "HTTP", "CNghttp2"),
    module("Wire/Coding", "Base", "HTTP", "CCompression"),
    module("Wire/TLS", "Base", "System", "Time", "Digest", "COpenSSL", "CTapeline"),
    module("Wire/Loop", "Base", "System", "Time", "CLibevent", "CTapeline"),
    module("Wire/Transport", "Base", "System", "Time", "Digest", "HTTP", "HTTP2", "TLS", "Loop"),

    // Library: the request/response system.
    module("Library/Core", "Base", "System", "Time", "Digest", "HTTP", "HTTP2", "Coding", "TLS", "Loop", "Transport", "HAR"),

    // Proxy: the client's side.
    module("Proxy/Proxy", "Base", "System", "Time", "Digest", "HTTP", "HTTP2", "TLS", "Loop", "Transport", "Core"),

    // Log: the format, what is hidden in it, and how it is written.
    module("Log/HAR", "Base", "CVectors"),
    module("Log/Redaction", "Base", "System", "Digest", "HTTP", "HAR", "CTapeline", "CVectors"),
    module(
      "Log/Recorder", "Base", "System", "Time", "Digest", "HTTP", "HTTP2", "Coding", "Transport", "Core", "HAR", "Redaction",
      "CTapeline", products: [histogram]),

    // Reading: queries, figures, comparisons, the report's page.
    module(
      "Reading/Inspect", "Base", "System", "Time", "Digest", "HTTP", "Coding", "HAR", products: [histogram],
      resources: [.embedInCode("Report/Page")]),

    // Commands: what they do with files and with recordings; `tapeline` itself has flags, wiring and exit statuses.
    module(
      "Commands/Offline", "Base", "System", "Time", "HTTP", "HTTP2", "TLS", "Loop", "Transport", "Core", "Proxy", "HAR",
      "Redaction", "Recorder", "Inspect"),
    module(
      "Commands/OTLP", "Base", "System", "Time", "Digest", "HTTP", "Coding", "Loop", "Transport", "Core", "HAR", "Redaction",
      "Inspect", "Offline", "CTapeline"),
    module(
      "Commands/Live", "Base", "System", "Time", "Digest", "HTTP", "Coding", "TLS", "Loop", "Transport", "Core", "Proxy", "HAR",
      "Recorder", "Inspect", "Offline", "OTLP", resources: [.embedInCode("Clients/Node")]),
    program(
      "tapeline", "Commands/tapeline", "Base", "System", "Time", "HTTP", "TLS", "Loop", "Transport", "Proxy", "HAR", "Recorder",
      "Inspect", "Offline", "OTLP", "Live", products: [argumentParser]),

    // Support: the C libraries and our own C, each behind one fence; what tests share; parsers under any input; benches.
    system("CLibevent", pkgConfig: "libevent_core", packages: "libevent-dev"),
    system("COpenSSL", pkgConfig: "openssl", packages: "libssl-dev"),
    system("CNghttp2", pkgConfig: "libnghttp2", packages: "libnghttp2-dev"),
    system("CCompression", packages: "zlib1g-dev", "libbrotli-dev", "libzstd-dev"),
    // liburing is found without pkg-config, beside libc.
    c("CTapeline", links: "uring"),
    c("CVectors"),
    c("CAllocations"),
    c("CProcessors"),
    module("Support/TestSupport", "Base", "System", "Time", "HTTP", "HTTP2", "TLS", "CTapeline", "CProcessors"),
    module(
      "Support/Fuzzing", "Base", "System", "Time", "HTTP", "HTTP2", "TLS", "Transport", "Core", "Proxy", "HAR", "Redaction",
      "Recorder", "Inspect", "Offline"),
    program(
      "tapeline-bench", "Support/bench", "System", "Time", "HTTP", "Loop", "Transport", "Core", "HAR", "Recorder", "Inspect",
      "CAllocations"),

    tests("Ground/Base", "Base", "CVectors"),
    tests("Ground/System", "Base", "System", "TestSupport", "CTapeline"),
    tests("Ground/Time", "System", "Time"),
    tests("Ground/Digest", "Digest"),
    tests("Wire/HTTP", "Base", "HTTP"),
    tests("Wire/HTTP2", "Time", "HTTP", "HTTP2", "TestSupport"),
    tests("Wire/Coding", "HTTP", "Coding", "TestSupport"),
    tests("Wire/TLS", "System", "Time", "Digest", "TLS", "TestSupport", "COpenSSL"),
    tests("Wire/Loop", "Base", "System", "Time", "Loop", "TestSupport", "COpenSSL", "CTapeline"),
    tests("Wire/Transport", "System", "Time", "HTTP", "HTTP2", "TLS", "Loop", "Transport", "TestSupport", "COpenSSL"),
    tests("Library/Core", "System", "Time", "HTTP", "HTTP2", "Coding", "TLS", "Loop", "Transport", "Core", "TestSupport"),
    tests(
      "Proxy/Proxy", "Base", "System", "Time", "Digest", "HTTP", "HTTP2", "TLS", "Loop", "Transport", "Core", "Proxy",
      "TestSupport"),
    tests("Log/HAR", "Base", "System", "Time", "HAR", "TestSupport", "CVectors"),
    tests("Log/Redaction", "Base", "HTTP", "HAR", "Redaction", "CVectors"),
    tests(
      "Log/Recorder", "Base", "System", "Time", "HTTP", "HTTP2", "Transport", "Core", "HAR", "Redaction", "Recorder", "Inspect",
      "TestSupport"),
    tests("Reading/Inspect", "Base", "System", "Digest", "HAR", "Inspect", "TestSupport"),
    tests(
      "Commands/Offline", "Base", "System", "Time", "Digest", "HTTP", "HTTP2", "Core", "HAR", "Inspect", "Offline", "TestSupport",
      "Fuzzing"),
    tests("Commands/OTLP", "Base", "System", "Time", "HAR", "Inspect", "OTLP"),
    tests(
      "Commands/Live", "Base", "System", "Time", "HTTP", "TLS", "Loop", "Transport", "Core", "Proxy", "HAR", "Redaction",
      "Recorder", "Inspect", "Offline", "Live", "TestSupport"),
    tests(
      "Commands/tapeline", "Base", "Time", "HTTP", "TLS", "Loop", "Transport", "Proxy", "HAR", "Recorder", "Offline", "Live",
      "tapeline", "TestSupport", products: [argumentParser], named: "TapelineCommandTests"),
    tests("Support/Fuzzing", "System", "TestSupport", "Fuzzing"),
    // They start the program, which is built with them for that reason.
    tests(
      "EndToEnd", "Base", "System", "Time", "Core", "HAR", "Inspect", "TestSupport", "tapeline", named: "EndToEndTests"),
  ]
)

// Links only with the options that `scripts/fuzz` gives, which asks for it by this variable.
if Context.environment["TAPELINE_FUZZ"] != nil {
  package.targets.append(program("tapeline-fuzz", "Support/fuzz", "System", "Fuzzing"))
}
