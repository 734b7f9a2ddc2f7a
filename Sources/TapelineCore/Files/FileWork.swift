internal import Dispatch

/// Where files are looked after that nobody waits for.
enum FileWork {
  static let queue = DispatchQueue(label: "tapeline.files", qos: .utility)
}
