import TapelineFuzzing
import TapelineSystem
import TapelineTestSupport
import Testing

/// What `Tests/Fixtures/fuzz` has for a target: `<target>/` holds inputs, one in each file, and `<target>.dict` the words of its
/// grammar.
struct SeedCorpus {
  let seeds: [(name: String, bytes: [UInt8])]
  let dictionary: [[UInt8]]

  init(of target: FuzzTarget) throws {
    let path = "\(repositoryRoot)/Tests/Fixtures/fuzz/\(target.rawValue)"
    seeds = try Self.names(in: path).map { ($0, try readFile("\(path)/\($0)")) }
    dictionary = try FuzzDictionary(readText("\(path).dict")).words
  }

  private struct Unreadable: Error {
    let path: String
  }

  private static func names(in path: String) throws -> [String] {
    let names = try Directory.names(in: path).filter { !$0.hasPrefix(".") }
    if names.isEmpty { throw Unreadable(path: path) }
    return names.sorted()
  }
}
