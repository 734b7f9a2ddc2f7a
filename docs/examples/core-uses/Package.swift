// swift-tools-version: 6.3
import PackageDescription

let core = Target.Dependency.product(name: "TapelineCore", package: "tapeline")

let package = Package(
  name: "core-uses",
  dependencies: [
    // A package elsewhere says `url:` and `from:`.
    .package(name: "tapeline", path: "../../..")
  ],
  targets: [
    .executableTarget(name: "core-uses", dependencies: [core]),
    // The code of docs/coming-from-alamofire.md.
    .executableTarget(name: "coming-from-alamofire", dependencies: [core]),
    // The code of the library's articles: built, so that it is known to be right, and not run.
    .target(name: "Articles", dependencies: [core]),
  ]
)
