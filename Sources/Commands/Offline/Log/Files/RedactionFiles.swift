internal import TapelineRecorder
package import TapelineRedaction
internal import TapelineSystem

/// The files that `--redact` names.
package enum RedactionFiles {
  /// The built-in rules and those of every file.
  package static func rules(_ paths: [String]) throws(CommandFailure) -> RedactionRules {
    var text: [UInt8] = []
    for path in paths {
      let bytes = try read(path)
      // Parse each file by itself first, so that an error names the file and the line in it.
      _ = try rules(bytes, path)
      text += bytes
      text.append(UInt8(ascii: "\n"))
    }
    guard let last = paths.last else { return .standard }
    return try rules(text, last)
  }

  private static func rules(_ text: [UInt8], _ path: String) throws(CommandFailure) -> RedactionRules {
    do throws(RedactionRulesError) {
      return try RedactionRules(contentsOf: text)
    } catch {
      throw CommandFailure(
        status: .badInput, what: "--redact \(path)", why: error.description, remedy: "correct the file")
    }
  }

  private static func read(_ path: String) throws(CommandFailure) -> [UInt8] {
    do throws(SystemCallError) {
      return try WholeFile.read(path, limit: sizeLimit)
    } catch {
      throw CommandFailure(
        status: .badInput, what: "--redact \(path)", why: error.text, remedy: "name a file with redaction rules")
    }
  }

  private static let sizeLimit = 1 << 20
}
