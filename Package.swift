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

func module(_ name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource]? = nil) -> Target {
  .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: strict)
}

func program(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil) -> Target {
  .executableTarget(name: name, dependencies: dependencies, resources: resources, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let histogram = Target.Dependency.product(name: "Histogram", package: "hdrhistogram-swift")

let package = Package(
  name: "tapeline",
  products: [
    .library(name: "TapelineCore", targets: ["TapelineCore"]),
    .library(name: "TapelineHAR", targets: ["TapelineHAR"]),
    .executable(name: "tapeline", targets: ["tapeline"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
  ],
  targets: [
    // C, each behind one fence.
    .systemLibrary(name: "CLibevent", pkgConfig: "libevent_core", providers: [.apt(["libevent-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CCompression", providers: [.apt(["zlib1g-dev", "libbrotli-dev", "libzstd-dev"])]),
    .target(name: "CTapeline"),
    .target(name: "CAllocations"),

    // Values without I/O.
    module("TapelineTime"),
    module("TapelineHTTP"),
    module("TapelineHAR"),
    module("TapelineCoding", ["TapelineHTTP", "CCompression"]),

    // Whatever is kept on disk for its owner alone is opened here.
    module("TapelineFiles", ["CTapeline"]),

    // The event loop, one attempt on the wire, the request/response system.
    module("TapelineLoop", ["CLibevent", "CTapeline", "TapelineTime"]),
    module("TapelineTLS", ["COpenSSL", "CTapeline", "TapelineFiles"]),
    module("TapelineTransport", ["TapelineHTTP", "TapelineLoop", "TapelineTLS", "TapelineTime"]),
    module(
      "TapelineCore",
      ["TapelineTransport", "TapelineCoding", "TapelineHTTP", "TapelineLoop", "TapelineTLS", "TapelineTime", "CTapeline"]),

    // The shell.
    module(
      "TapelineProxy", ["TapelineCore", "TapelineTransport", "TapelineHTTP", "TapelineLoop", "TapelineTLS", "TapelineTime"]),
    module(
      "TapelineRecorder",
      [
        "TapelineCore", "TapelineTransport", "TapelineCoding", "TapelineHTTP", "TapelineHAR", "TapelineFiles", "TapelineTime",
        "CTapeline", histogram,
      ]),
    module(
      "TapelineInspect", ["TapelineHAR", "TapelineCoding", "TapelineFiles", histogram], resources: [.embedInCode("Report/Page")]),
    program(
      "tapeline",
      [
        "TapelineProxy", "TapelineRecorder", "TapelineInspect", "TapelineCore", "TapelineFiles", "TapelineHAR", "TapelineHTTP",
        "TapelineLoop", "TapelineTLS", "TapelineTransport", "TapelineTime", "CTapeline", argumentParser,
      ], resources: [.embedInCode("Child/Node")]),
    program(
      "tapeline-bench",
      [
        "TapelineCore", "TapelineTransport", "TapelineRecorder", "TapelineInspect", "TapelineHTTP", "TapelineHAR", "TapelineLoop",
        "TapelineTime", "CTapeline", "CAllocations",
      ]),

    // What must hold of the parsers for any input; `tapeline-fuzz` below runs it under libFuzzer.
    module(
      "TapelineFuzzing",
      ["TapelineCore", "TapelineTransport", "TapelineHTTP", "TapelineTLS", "TapelineHAR", "TapelineInspect", "TapelineRecorder"]),

    // Tests mirror the sources; the support target has no tests of its own.
    module("TapelineTestSupport", ["TapelineTime"]),
    tests("TapelineTimeTests", ["TapelineTime"]),
    tests("TapelineHTTPTests", ["TapelineHTTP"]),
    tests("TapelineFilesTests", ["TapelineFiles", "TapelineTestSupport"]),
    tests("TapelineHARTests", ["TapelineHAR"]),
    tests("TapelineCodingTests", ["TapelineCoding", "TapelineHTTP", "TapelineTestSupport"]),
    tests("TapelineLoopTests", ["TapelineLoop", "TapelineTime", "CTapeline", "COpenSSL", "TapelineTestSupport"]),
    tests("TapelineTLSTests", ["TapelineTLS", "COpenSSL", "TapelineTestSupport"]),
    tests(
      "TapelineTransportTests",
      ["TapelineTransport", "TapelineHTTP", "TapelineLoop", "TapelineTLS", "TapelineTime", "TapelineTestSupport"]),
    tests(
      "TapelineCoreTests",
      [
        "TapelineCore", "TapelineTransport", "TapelineHTTP", "TapelineLoop", "TapelineTLS", "TapelineTime", "TapelineTestSupport",
      ]),
    tests(
      "TapelineProxyTests",
      [
        "TapelineProxy", "TapelineCore", "TapelineTransport", "TapelineHTTP", "TapelineLoop", "TapelineTLS", "TapelineTime",
        "TapelineTestSupport",
      ]),
    tests(
      "TapelineRecorderTests",
      [
        "TapelineRecorder", "TapelineCore", "TapelineTransport", "TapelineCoding", "TapelineHTTP", "TapelineHAR",
        "TapelineInspect", "TapelineTime", "TapelineTestSupport",
      ]),
    tests("TapelineInspectTests", ["TapelineInspect", "TapelineHAR", "TapelineCoding", "TapelineTestSupport"]),
    tests("TapelineFuzzingTests", ["TapelineFuzzing", "TapelineTestSupport"]),
    tests(
      "TapelineCommandTests",
      [
        "tapeline", "TapelineCore", "TapelineFiles", "TapelineHAR", "TapelineHTTP", "TapelineLoop", "TapelineProxy",
        "TapelineRecorder",
        "TapelineTLS",
        "TapelineTime",
        "TapelineTestSupport", argumentParser,
      ]),
    tests("EndToEndTests", ["TapelineTestSupport", "TapelineTime", "tapeline"]),
  ]
)

// Links only with the options that `scripts/fuzz` gives, which asks for it by this variable.
if Context.environment["TAPELINE_FUZZ"] != nil {
  package.targets.append(program("tapeline-fuzz", ["TapelineFuzzing"]))
}
