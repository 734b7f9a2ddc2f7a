import Glibc
import TapelineFuzzing
import TapelineTestSupport
import Testing

/// What `Tests/Fixtures/fuzz` has for a target: `<target>/` holds inputs, one in each file, and `<target>.dict` the words of its grammar.
struct SeedCorpus {
  let seeds: [(name: String, bytes: [UInt8])]
  let dictionary: [[UInt8]]

  init(of target: FuzzTarget) throws {
    let here = #filePath
    let tests = here[..<(try #require(here.lastIndex(of: "/")))]
    let path = "\(tests)/../Fixtures/fuzz/\(target.rawValue)"
    seeds = try Self.names(in: path).map { ($0, try readFile("\(path)/\($0)")) }
    dictionary = try FuzzDictionary(readText("\(path).dict")).words
  }

  private struct Unreadable: Error {
    let path: String
  }

  private static func names(in path: String) throws -> [String] {
    guard let directory = unsafe opendir(path) else { throw Unreadable(path: path) }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    if names.isEmpty { throw Unreadable(path: path) }
    return names.sorted()
  }
}
