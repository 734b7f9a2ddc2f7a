package import TapelineInspect

extension ModelCalls {
  /// Reads the calls of models in a capture.
  ///
  /// - Parameter filter: the exchanges to look at; `nil` for all.
  package static func read(_ path: String, filter: Query?) throws(CommandFailure) -> ModelCalls {
    var calls = ModelCalls()
    var source = try CaptureFile(path: path, parts: parts, filter: filter, bringsBodiesIn: true)
    while let (number, entry) = try source.next() { calls.add(entry, number: number) }
    return calls
  }
}
