internal import Dispatch

/// A queue for work on files that nobody waits for.
enum FileWork {
  static let queue = DispatchQueue(label: "tapeline.files", qos: .utility)
}
