package import TapelineInspect

extension CaptureProfile {
  /// Reads one side of a comparison.
  package static func read(_ path: String, _ options: MatchingOptions, filter: Query?) throws(CommandFailure) -> CaptureProfile {
    var profile = CaptureProfile(file: path, options: options)
    var source = try CaptureFile(path: path, parts: parts, filter: filter)
    while let (number, entry) = try source.next() { profile.add(entry, number: number) }
    return profile
  }
}
