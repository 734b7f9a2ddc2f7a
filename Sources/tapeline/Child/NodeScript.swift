internal import TapelineSystem

/// The file that Node.js programs load before themselves, so that what they ask for comes to the proxy: `Child/Node/tapeline-node.cjs`, which the
/// build puts into the program.
struct NodeScript: Hashable {
  let path: String

  /// By which one of ours is known in an environment, wherever it lies.
  static let name = "tapeline-node.cjs"

  init(path: String) {
    self.path = path
  }

  /// Writes it into `directory`.
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
