internal import TapelineInspect
internal import TapelineSystem
internal import TapelineBase

/// The captures that a command names, one or many, by their paths or by patterns.
package struct CaptureFleet {
  package let files: [String]

  /// - Throws: if no file matches a pattern, if a directory is named, or if standard input is one of several.
  package init(_ names: [String]) throws(CommandFailure) {
    var files: [String] = []
    var known: Set<String> = []
    for name in names {
      for path in try Self.paths(name) where known.insert(path).inserted { files.append(path) }
    }
    if files.count > 1, files.contains("-") { try LogFile.requireFile("-") }
    self.files = files
  }

  private static func paths(_ name: String) throws(CommandFailure) -> [String] {
    if name == "-" { return [name] }
    if let status = SystemCalls.statusIfPresent(of: name) {
      guard status.kind != .directory else {
        let place = name.hasSuffix("/") ? name : name + "/"
        throw CommandFailure(
          status: .badInput, what: name, why: "it is a directory", remedy: "name the captures in it, as in '\(place)**/*.har'")
      }
      return [name]
    }
    guard let pattern = FilePattern(name) else { return [name] }
    let paths = pattern.paths
    guard !paths.isEmpty else {
      throw CommandFailure(
        status: .badInput, what: name, why: "no file matches",
        remedy: "* stands for any characters of a name, and ** for directories of any depth")
    }
    return paths
  }

  /// Whether exchanges must say which capture they are in.
  package var hasSeveral: Bool { files.count > 1 }

  /// Does the same for each capture. If one of several cannot be read, says so, and goes on.
  ///
  /// - Throws: what the only capture threw; or, after the last, that some could not be read.
  func forEach(_ body: (String) throws(CommandFailure) -> Void) throws(CommandFailure) {
    var failures = 0
    for file in files {
      do throws(CommandFailure) {
        try body(file)
      } catch {
        guard hasSeveral, error.status == .badInput else { throw error }
        Console.say(error.description)
        failures += 1
      }
    }
    guard failures > 0 else { return }
    throw CommandFailure(
      status: .badInput, what: "\(failures) of \(Count.text(files.count, "capture"))", why: "not read, or not to the end",
      remedy: "the messages above say why, and the result has everything else")
  }
}
