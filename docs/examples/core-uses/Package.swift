// swift-tools-version: 6.3
import PackageDescription

func product(_ name: String) -> Target.Dependency { .product(name: name, package: "tapeline") }

let core = product("TapelineCore")

let package = Package(
  name: "core-uses",
  dependencies: [
    // A package elsewhere says `url:` and `from:`.
    .package(name: "tapeline", path: "../../.."),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
  ],
  targets: [
    .executableTarget(name: "core-uses", dependencies: [core, product("TapelineHAR"), product("TapelineRecorder")]),
    // The code of docs/coming-from-alamofire.md.
    .executableTarget(name: "coming-from-alamofire", dependencies: [core]),
    // Code in the mode of the language before the checks of Swift 6.
    .executableTarget(name: "in-swift-5", dependencies: [core], swiftSettings: [.swiftLanguageMode(.v5)]),
    // The types of swift-http-types beside ours.
    .executableTarget(
      name: "http-types", dependencies: [core, .product(name: "HTTPTypes", package: "swift-http-types")]),
    // The code of the library's articles, and of the comments of declarations: built, so that it is known to be right, and not
    // run.
    .target(name: "Articles", dependencies: [core, product("TapelineHAR"), product("TapelineRecorder")]),
  ]
)
