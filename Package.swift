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

/// What every room may stand on.
let groundFloor: [Target.Dependency] = ["TapelineSystem", "TapelineTables", "TapelineText", "TapelineTime", "TapelineDigest"]

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
    .systemLibrary(name: "CNghttp2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
    .systemLibrary(name: "CCompression", providers: [.apt(["zlib1g-dev", "libbrotli-dev", "libzstd-dev"])]),
    // liburing is found without pkg-config, beside libc.
    .target(name: "CTapeline", linkerSettings: [.linkedLibrary("uring")]),
    .target(name: "CVectors"),
    .target(name: "CAllocations"),
    .target(name: "CProcessors"),

    // The ground floor: the system and what it says of itself, text and its codings, time and its calendar, digests, tables.
    module("TapelineSystem", ["CTapeline", "TapelineText"]),
    module("TapelineTables"),
    module("TapelineText", ["CVectors"]),
    module("TapelineTime", ["TapelineSystem", "TapelineText"]),
    module("TapelineDigest", ["COpenSSL", "TapelineText"]),

    // Values without I/O.
    module("TapelineHTTP", groundFloor),
    module("TapelineHAR", ["CVectors"] + groundFloor),
    module("TapelineCoding", ["TapelineHTTP", "CCompression"] + groundFloor),

    // HTTP/2 without sockets.
    module("TapelineHTTP2", ["TapelineHTTP", "CNghttp2"] + groundFloor),

    // The event loop, one attempt on the wire, the request/response system.
    module("TapelineLoop", ["CLibevent", "CTapeline"] + groundFloor),
    module("TapelineTLS", ["COpenSSL", "CTapeline"] + groundFloor),
    module("TapelineTransport", ["TapelineHTTP", "TapelineHTTP2", "TapelineLoop", "TapelineTLS"] + groundFloor),
    module(
      "TapelineCore",
      [
        "TapelineTransport", "TapelineCoding", "TapelineHTTP", "TapelineHTTP2", "TapelineHAR", "TapelineLoop", "TapelineTLS",
        "CTapeline",
      ] + groundFloor),

    // The shell.
    module("TapelineRedaction", ["TapelineHAR", "TapelineHTTP", "CTapeline", "CVectors"] + groundFloor),
    module(
      "TapelineProxy",
      ["TapelineCore", "TapelineTransport", "TapelineHTTP", "TapelineHTTP2", "TapelineLoop", "TapelineTLS"] + groundFloor),
    module(
      "TapelineRecorder",
      [
        "TapelineRedaction", "TapelineCore", "TapelineTransport", "TapelineCoding", "TapelineHTTP", "TapelineHTTP2",
        "TapelineHAR", "CTapeline", histogram,
      ] + groundFloor),
    module(
      "TapelineInspect", ["TapelineHAR", "TapelineHTTP", "TapelineCoding", histogram] + groundFloor,
      resources: [.embedInCode("Report/Page")]),

    // What the commands do; `tapeline` itself has flags, wiring and exit statuses.
    module("TapelineConsole", ["TapelineInspect", "TapelineHAR", "TapelineLoop"] + groundFloor),
    module(
      "TapelineLog",
      ["TapelineConsole", "TapelineInspect", "TapelineRecorder", "TapelineRedaction", "TapelineHAR"] + groundFloor),
    module("TapelineOTLP", ["TapelineInspect", "TapelineHAR", "TapelineHTTP"] + groundFloor),
    module(
      "TapelineExport",
      [
        "TapelineOTLP", "TapelineLog", "TapelineConsole", "TapelineInspect", "TapelineRedaction", "TapelineCore",
        "TapelineTransport",
        "TapelineCoding", "TapelineHTTP", "TapelineHAR", "TapelineLoop", "CTapeline",
      ] + groundFloor),
    module(
      "TapelineControl",
      [
        "TapelineConsole", "TapelineProxy", "TapelineRecorder", "TapelineInspect", "TapelineCore", "TapelineTransport",
        "TapelineHAR", "TapelineLoop",
      ] + groundFloor),
    module(
      "TapelineClients", ["TapelineControl", "TapelineConsole", "TapelineInspect", "TapelineTLS", "TapelineLoop"] + groundFloor,
      resources: [.embedInCode("Node")]),
    module(
      "TapelineCapture",
      [
        "TapelineExport", "TapelineOTLP", "TapelineClients", "TapelineControl", "TapelineConsole", "TapelineProxy",
        "TapelineRecorder", "TapelineInspect", "TapelineCore", "TapelineTransport", "TapelineCoding", "TapelineHTTP",
        "TapelineHAR", "TapelineLoop", "TapelineTLS",
      ] + groundFloor),
    module(
      "TapelineImport",
      [
        "TapelineLog", "TapelineConsole", "TapelineInspect", "TapelineRecorder", "TapelineRedaction", "TapelineCore",
        "TapelineTransport", "TapelineTLS", "TapelineCoding", "TapelineHTTP", "TapelineHTTP2", "TapelineHAR",
      ] + groundFloor),
    module(
      "TapelineReplay",
      [
        "TapelineLog", "TapelineConsole", "TapelineProxy", "TapelineInspect", "TapelineCore", "TapelineTransport", "TapelineHTTP",
        "TapelineHAR", "TapelineLoop", "TapelineTLS",
      ] + groundFloor),
    program(
      "tapeline",
      [
        "TapelineCapture", "TapelineClients", "TapelineControl", "TapelineExport", "TapelineImport", "TapelineLog",
        "TapelineReplay",
        "TapelineConsole",
        "TapelineInspect", "TapelineProxy", "TapelineRecorder", "TapelineTransport", "TapelineHAR", "TapelineHTTP",
        "TapelineLoop", "TapelineTLS", argumentParser,
      ] + groundFloor),
    program(
      "tapeline-bench",
      [
        "TapelineCore", "TapelineTransport", "TapelineRecorder", "TapelineInspect", "TapelineHTTP", "TapelineHAR", "TapelineLoop",
        "CTapeline", "CAllocations",
      ] + groundFloor),

    // What must hold of the parsers for any input; `tapeline-fuzz` below runs it under libFuzzer.
    module(
      "TapelineFuzzing",
      [
        "TapelineCore", "TapelineTransport", "TapelineHTTP", "TapelineHTTP2", "TapelineTLS", "TapelineHAR", "TapelineInspect",
        "TapelineRecorder", "TapelineRedaction", "TapelineProxy", "TapelineImport",
      ] + groundFloor),

    // Tests mirror the sources; the support target has no tests of its own.
    module(
      "TapelineTestSupport",
      ["TapelineHTTP2", "TapelineHTTP", "TapelineLoop", "TapelineTLS", "CTapeline", "CProcessors"] + groundFloor),
    tests("TapelineSystemTests", ["TapelineSystem", "CTapeline", "TapelineTestSupport"]),
    tests("TapelineTablesTests", ["TapelineTables"]),
    tests("TapelineTextTests", ["TapelineText", "CVectors", "TapelineTestSupport"]),
    tests("TapelineDigestTests", ["TapelineDigest", "TapelineText", "TapelineTestSupport"]),
    tests("TapelineTimeTests", groundFloor),
    tests("TapelineHTTPTests", ["TapelineHTTP"] + groundFloor),
    tests("TapelineHTTP2Tests", ["TapelineHTTP2", "TapelineHTTP", "TapelineTestSupport"] + groundFloor),
    tests("TapelineHARTests", ["TapelineHAR", "CVectors"] + groundFloor),
    tests("TapelineCodingTests", ["TapelineCoding", "TapelineHTTP", "TapelineTestSupport"] + groundFloor),
    tests("TapelineLoopTests", ["TapelineLoop", "CTapeline", "COpenSSL", "TapelineTestSupport"] + groundFloor),
    tests("TapelineTLSTests", ["TapelineTLS", "COpenSSL", "TapelineTestSupport"] + groundFloor),
    tests(
      "TapelineTransportTests",
      [
        "TapelineTransport", "TapelineHTTP", "TapelineHTTP2", "TapelineLoop", "TapelineTLS", "COpenSSL", "TapelineTestSupport",
      ] + groundFloor),
    tests(
      "TapelineCoreTests",
      [
        "TapelineCore", "TapelineTransport", "TapelineHTTP", "TapelineHTTP2", "TapelineLoop", "TapelineTLS",
        "TapelineTestSupport",
      ] + groundFloor),
    tests(
      "TapelineProxyTests",
      [
        "TapelineProxy", "TapelineCore", "TapelineTransport", "TapelineHTTP", "TapelineHTTP2", "TapelineLoop", "TapelineTLS",
        "TapelineTestSupport",
      ] + groundFloor),
    tests("TapelineRedactionTests", ["TapelineRedaction", "TapelineHAR", "CVectors"] + groundFloor),
    tests(
      "TapelineRecorderTests",
      [
        "TapelineRecorder", "TapelineRedaction", "TapelineCore", "TapelineTransport", "TapelineCoding", "TapelineHTTP",
        "TapelineHTTP2", "TapelineHAR", "TapelineInspect", "TapelineTestSupport",
      ] + groundFloor),
    tests("TapelineInspectTests", ["TapelineInspect", "TapelineHAR", "TapelineCoding", "TapelineTestSupport"] + groundFloor),
    tests("TapelineFuzzingTests", ["TapelineFuzzing", "TapelineTestSupport"] + groundFloor),
    tests("TapelineConsoleTests", ["TapelineConsole", "TapelineTestSupport"] + groundFloor),
    tests(
      "TapelineLogTests",
      [
        "TapelineLog", "TapelineImport", "TapelineFuzzing", "TapelineConsole", "TapelineInspect", "TapelineHAR",
        "TapelineTestSupport",
      ] + groundFloor),
    tests(
      "TapelineControlTests",
      [
        "TapelineControl", "TapelineConsole", "TapelineProxy", "TapelineRecorder", "TapelineInspect", "TapelineHAR",
        "TapelineLoop", "TapelineTestSupport",
      ] + groundFloor),
    tests(
      "TapelineClientsTests",
      [
        "TapelineClients", "TapelineControl", "TapelineConsole", "TapelineTLS", "TapelineLoop", "TapelineTestSupport",
      ] + groundFloor),
    tests(
      "TapelineCaptureTests",
      [
        "TapelineCapture", "TapelineClients", "TapelineControl", "TapelineConsole", "TapelineProxy", "TapelineRecorder",
        "TapelineInspect", "TapelineRedaction", "TapelineCore", "TapelineTransport", "TapelineHTTP", "TapelineHAR",
        "TapelineLoop", "TapelineTLS", "TapelineTestSupport",
      ] + groundFloor),
    tests(
      "TapelineOTLPTests", ["TapelineOTLP", "TapelineHAR"] + groundFloor),
    tests(
      "TapelineExportTests",
      ["TapelineExport", "TapelineOTLP"] + groundFloor),
    tests(
      "TapelineImportTests",
      [
        "TapelineImport", "TapelineConsole", "TapelineCore", "TapelineTransport", "TapelineHTTP", "TapelineHTTP2", "TapelineHAR",
        "TapelineTestSupport",
      ] + groundFloor),
    tests("TapelineReplayTests", ["TapelineReplay", "TapelineConsole"] + groundFloor),
    tests(
      "TapelineCommandTests",
      [
        "tapeline", "TapelineCapture", "TapelineControl", "TapelineConsole", "TapelineProxy", "TapelineRecorder",
        "TapelineTransport", "TapelineHAR", "TapelineHTTP", "TapelineLoop", "TapelineTLS", "TapelineTestSupport", argumentParser,
      ] + groundFloor),
    tests("EndToEndTests", ["TapelineHAR", "TapelineInspect", "TapelineTestSupport", "tapeline"] + groundFloor),
  ]
)

// Links only with the options that `scripts/fuzz` gives, which asks for it by this variable.
if Context.environment["TAPELINE_FUZZ"] != nil {
  package.targets.append(program("tapeline-fuzz", ["TapelineFuzzing", "TapelineSystem"]))
}
