// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "slowest",
  // A package elsewhere says `url:` and `from:`.
  dependencies: [.package(name: "tapeline", path: "../../..")],
  targets: [.executableTarget(name: "slowest", dependencies: [.product(name: "TapelineHAR", package: "tapeline")])]
)
