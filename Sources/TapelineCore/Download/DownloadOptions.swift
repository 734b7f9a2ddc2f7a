public import FoundationEssentials

extension DownloadRequest {
  /// What may be done to get a download to its destination.
  public struct Options: OptionSet, Sendable {
    /// One bit for each option.
    public let rawValue: Int

    /// Options by their bits.
    public init(rawValue: Int) {
      self.rawValue = rawValue
    }

    /// Make the missing directories of the destination.
    public static let createIntermediateDirectories = Options(rawValue: 1 << 0)
    /// Remove what is there already: a file, a link, or a directory with all that is in it. Without this option the download
    /// fails rather than replace anything.
    public static let removePreviousFile = Options(rawValue: 1 << 1)
  }

  /// Decides where a download goes, once all of it is in its temporary file. Runs on a queue where it may work with files.
  public typealias Destination =
    @Sendable (_ temporaryURL: URL, _ response: HTTPURLResponse) -> (destinationURL: URL, options: Options)

  /// How a download begins.
  public enum Downloadable: Sendable {
    /// From the start.
    case request(any URLRequestConvertible)
    /// From where another stopped.
    case resumeData(Data)
  }

  /// A destination in `directory`, under the name that the response suggests.
  public static func suggestedDownloadDestination(in directory: URL, options: Options = []) -> Destination {
    { _, response in
      (directory.appending(component: response.suggestedFilename, directoryHint: .notDirectory), options)
    }
  }

  /// A destination in one of the system's directories, under the name that the response suggests; in the temporary file's
  /// directory if there is no such directory.
  public static func suggestedDownloadDestination(
    for directory: FileManager.SearchPathDirectory = .documentDirectory,
    in domain: FileManager.SearchPathDomainMask = .userDomainMask, options: Options = []
  ) -> Destination {
    { temporaryURL, response in
      let directory = FileManager.default.urls(for: directory, in: domain).first ?? temporaryURL.deletingLastPathComponent()
      return (directory.appending(component: response.suggestedFilename, directoryHint: .notDirectory), options)
    }
  }
}

/// How a download begins.
public typealias Downloadable = DownloadRequest.Downloadable
