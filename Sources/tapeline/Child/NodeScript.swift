internal import TapelineSystem

/// The file that Node.js programs load first, so that their requests come to the proxy: `Child/Node/tapeline-node.cjs`, which the
/// build embeds in tapeline.
struct NodeScript: Hashable {
  let path: String

  /// The file name by which we recognise our script in an environment, in any directory.
  static let name = "tapeline-node.cjs"

  init(path: String) {
    self.path = path
  }

  /// Writes the file into `directory`.
  init(in directory: String) throws(CommandFailure) {
    path = "\(directory)/\(Self.name)"
    do throws(PrivateFileError) {
      try WholeFile.write(PackageResources.tapeline_node_cjs, to: path, mode: 0o644)
    } catch {
      throw CommandFailure(
        status: .cannotCreate, what: path, why: error.description,
        remedy: "make room there: Node.js programs need it to be recorded")
    }
  }
}
