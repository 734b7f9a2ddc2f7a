package import TapelineSystem

/// Errors between the recorder and the disk.
package enum RecorderError: Error, Sendable, Hashable {
  /// The file exists and has content, which is never overwritten.
  case fileExists(path: String)
  /// Another recorder is writing this file.
  case locked(path: String)
  /// A pipe or a device: a HAR needs a file that can be rewritten in place.
  case notRegular(path: String)
  /// Another user could read the file or change its directory.
  case notPrivate(path: String, PrivateFileError)
  case cannotCreate(path: String, code: Int32)
  /// Entries are lost from now on, until writing succeeds again.
  case writeFailed(path: String, code: Int32)
  /// The file was removed while it was being written.
  case removed(path: String)
  /// The directory for bodies cannot be made or written to.
  case cannotUseBodies(path: String, code: Int32)
  case snapshotFailed(path: String, code: Int32)
  /// Nothing is recorded any more.
  case finished
  case cannotStartThread(code: Int32)

  package var path: String? {
    switch self {
    case .fileExists(let path), .locked(let path), .notRegular(let path), .removed(let path), .notPrivate(let path, _): path
    case .cannotCreate(let path, _), .writeFailed(let path, _), .cannotUseBodies(let path, _), .snapshotFailed(let path, _): path
    case .finished, .cannotStartThread: nil
    }
  }

  /// The reason, in a few words.
  package var reason: String {
    switch self {
    case .fileExists: "it exists already"
    case .locked: "another tapeline is recording into it"
    case .notRegular: "it is not a regular file"
    case .notPrivate(_, let error): error.description
    case .cannotCreate(_, let code), .cannotUseBodies(_, let code), .cannotStartThread(let code):
      SystemCallError.text(of: code)
    case .snapshotFailed(_, let code): "copying failed: \(SystemCallError.text(of: code))"
    case .finished: "recording has ended"
    case .writeFailed(_, let code): "writing failed: \(SystemCallError.text(of: code))"
    case .removed: "it was removed while recording"
    }
  }

  /// The remedy.
  package var remedy: String {
    switch self {
    case .fileExists: "name another file with --output, or replace this one with --force"
    case .locked: "name another file with --output"
    case .notRegular: "name a file with --output; a HAR is rewritten in place and cannot be piped"
    case .notPrivate: "name another, or remove this one"
    case .cannotCreate: "name a file that can be made with --output"
    case .writeFailed: "exchanges are relayed but not recorded until there is room again"
    case .removed: "exchanges are relayed but not recorded; send SIGHUP to begin the next file"
    case .cannotUseBodies: "name a directory that can be made or written to with --bodies-dir"
    case .snapshotFailed: "name another file"
    case .finished: "read the file itself"
    case .cannotStartThread: "raise the limit of threads"
    }
  }

  init(_ error: PrivateFileError, path: String) {
    self =
      switch error {
      case .system(let code): .cannotCreate(path: path, code: code)
      case .exists: .fileExists(path: path)
      case .notRegular: .notRegular(path: path)
      case .link, .foreign, .otherNames, .exposed: .notPrivate(path: path, error)
      }
  }
}

extension RecorderError: CustomStringConvertible {
  package var description: String {
    (path.map { "\($0): " } ?? "") + "\(reason); \(remedy)"
  }
}
