public import FoundationEssentials
internal import TapelineTransport

/// A request whose response body goes to a file.
///
/// Safety: `@unchecked Sendable` is inherited; it stores constants.
public final class DownloadRequest: Request, @unchecked Sendable {
  /// The request or the resume data that the download began with.
  public let downloadable: Downloadable
  private let downloadDelegate: DownloadTaskDelegate
  /// Why the resume data cannot be used.
  private let invalidResumeData: TapelineError?
  /// Added to the fields of the request that is continued.
  private let headers: HTTPHeaders?

  /// - Parameters:
  ///   - headers: set in addition to those of the request.
  ///   - directory: for the file while it is written.
  init(
    downloadable: Downloadable, headers: HTTPHeaders? = nil, directory: String = TemporaryFile.directory,
    destination: Destination?, scope: RequestScope
  ) {
    self.downloadable = downloadable
    self.headers = headers
    let convertible: any URLRequestConvertible
    var part: ResumeData?
    var failure: TapelineError?
    switch downloadable {
    case .request(let request):
      convertible = request
    case .resumeData(let data):
      do throws(TapelineError) {
        part = try ResumeData(data)
      } catch {
        failure = error
      }
      convertible = ContinuedDownload(resumeData: data)
    }
    invalidResumeData = failure
    downloadDelegate = DownloadTaskDelegate(destination: destination, part: part, directory: directory)
    super.init(convertible: convertible, delegate: downloadDelegate, scope: scope)
  }

  var downloadOutcome: DownloadResults { downloadDelegate.outcome }

  // MARK: What it came to

  /// Where the body is first written; `nil` before the end.
  public var temporaryURL: URL? { downloadDelegate.outcome.temporaryURL }

  /// The destination of the file, even if the move there failed.
  public var destinationURL: URL? { downloadDelegate.outcome.destinationURL }

  /// Where the file is; `nil` while it is not complete, and when it could not be moved.
  public var fileURL: URL? { downloadDelegate.outcome.fileURL }

  /// The data to continue this download with `download(resumingWith:)`, after a failure in transit or a cancellation that asked
  /// for it. `nil` when the server gave no proof that the part and the rest belong together.
  public var resumeData: Data? { downloadDelegate.outcome.resumeData }

  // MARK: Cancelling

  /// Cancels the download, and keeps the received part if asked to.
  @discardableResult
  public func cancel(producingResumeData: Bool) -> Self {
    if producingResumeData { downloadDelegate.keepPart() }
    return cancel()
  }

  /// Cancels the download, keeps the received part, and calls `completionHandler` on the session's callback queue with the
  /// resume data; `nil` when the download cannot be continued.
  @discardableResult
  @preconcurrency
  public func cancel(byProducingResumeData completionHandler: @escaping @Sendable (_ resumeData: Data?) -> Void) -> Self {
    cancel(producingResumeData: true)
    return respond(
      on: .queue(nil), retries: false, serialize: { .success(()) }, answer: { [unowned self] _, _ in resumeData },
      completionHandler: completionHandler)
  }

  // MARK: For the session

  override func urlRequest() throws -> URLRequest {
    if let invalidResumeData { throw invalidResumeData }
    guard let part = downloadDelegate.remainingPart else {
      var whole = try super.urlRequest()
      headers?.forEach { whole.headers.update($0) }
      return whole
    }
    let path = part.temporaryPath
    do throws(FileError) {
      guard try FileCalls.status(of: path).size >= part.offset else { throw FileError.missing(path) }
    } catch {
      throw TapelineError.invalidResumeData(
        reason: .partialFileMissing(at: URL(filePath: path, directoryHint: .notDirectory)))
    }
    var rest = part.continuingRequest
    headers?.forEach { rest.headers.update($0) }
    return rest
  }
}

/// A request for the whole file that resume data belongs to, in case its part cannot be used.
private struct ContinuedDownload: URLRequestConvertible {
  let resumeData: Data

  func asURLRequest() throws -> URLRequest {
    var request = try ResumeData(resumeData).continuingRequest
    request.headers.remove(name: "Range")
    request.headers.remove(name: "If-Range")
    return request
  }
}

extension DownloadRequest {
  /// The steps that a download may take to get to its destination.
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
  ///
  /// - Parameters:
  ///   - directory: the kind of directory.
  ///   - domain: whose.
  ///   - options: whether directories are made, and files replaced.
  /// - Returns: the destination.
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
