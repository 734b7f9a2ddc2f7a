internal import Dispatch
internal import FoundationEssentials
internal import Synchronization
internal import TapelineHTTP
internal import TapelineLoop
public import TapelineTransport

extension BoundOverrides {
  /// Takes over complete downloads, if that is overridden.
  fileprivate var downloadOverride: (@Sendable (SessionTask, URL) -> Void)? {
    guard let override = closures.downloadTaskDidFinishDownloadingToURL else { return nil }
    return { [session] task, url in override(session, task, url) }
  }
}

/// Writes the response to a file, from the start or after an existing part, and moves the file to its destination.
///
/// The loop hands bytes over and never touches the disk; the file is complete, and moved, before the task counts as completed.
///
/// Safety: `@unchecked Sendable` is inherited: what any thread may ask for is behind locks; everything else is touched on the
/// loop.
public final class DownloadTaskDelegate: TaskDelegate, @unchecked Sendable {
  private let destination: DownloadRequest.Destination?
  private let directory: String
  private let results = Mutex(DownloadResults())
  private let wantsResumeData = Mutex(false)
  private let part: Mutex<ResumeData?>
  /// Works on the files of all attempts.
  private let fileQueue = DispatchQueue(label: "tapeline.download", qos: .utility)

  // Loop-bound.
  /// The head of the response that is written.
  public private(set) var response: HTTPURLResponse?
  private var file: DownloadFile?
  /// Bytes that were in the file before this attempt.
  private var offset: UInt64 = 0
  private var received: UInt64 = 0
  /// Bytes of the whole file; `nil` when unknown.
  private var total: UInt64?

  /// - Parameter part: the part from an earlier download.
  init(destination: DownloadRequest.Destination?, part: ResumeData? = nil, directory: String = TemporaryFile.directory) {
    self.destination = destination
    self.part = Mutex(part)
    self.directory = directory
  }

  // MARK: From any thread

  var outcome: DownloadResults { results.withLock { $0 } }

  /// The part from an earlier download that can still be used.
  var remainingPart: ResumeData? { part.withLock { $0 } }

  /// Makes a cancellation keep the received part: until any bytes come, that is the earlier part.
  func keepPart() {
    wantsResumeData.withLock { $0 = true }
    guard let part = remainingPart else { return }
    results.withLock { results in
      if results.fileURL == nil, results.resumeData == nil { results.resumeData = part.encoded }
    }
  }

  /// The most bytes that waited to be written.
  var highestBacklog: Int { file?.backlog.highest ?? 0 }

  // MARK: Events

  public override func taskDidReceive(_ response: HTTPURLResponse) -> ResponseDisposition {
    self.response = response
    received = 0
    offset = 0
    guard let part = remainingPart else { return begin(.new(directory: directory), response) }
    switch response.statusCode {
    case 206:
      // Another range, or a part of something else: ask for the whole file.
      guard let length = part.wholeLength(with: response) else { return startOver(without: part) }
      offset = part.offset
      let disposition = begin(.part(path: part.temporaryPath, offset: part.offset), response)
      total = length
      resumed(at: part.offset)
      return disposition
    case 416:
      return startOver(without: part)
    case 200:
      dropPart()
      return begin(.new(directory: directory), response)
    default:
      // Another answer of the server: write it; the part can still be used.
      return begin(.new(directory: directory), response)
    }
  }

  public override func taskDidReceive(_ bytes: Span<UInt8>) -> Demand {
    guard let file else { return .more }
    received += UInt64(bytes.count)
    let (completed, expected) = (Int64(clamping: offset + received), total.map { Int64(clamping: $0) } ?? -1)
    if let task, let overrides, let override = overrides.closures.downloadTaskDidWriteData {
      override(overrides.session, task, Int64(bytes.count), completed, expected)
    } else {
      request?.updateDownloadProgress(completed: completed, total: expected)
    }
    return file.append(bytes)
  }

  public override func reset() {
    super.reset()
    response = nil
    if let file {
      self.file = nil
      // A part that another download began is not ours to remove.
      let isPart = offset > 0
      // The file that this attempt put at the destination is not the wanted one, and would be in the way of the next attempt.
      let placed = outcome.placedPath
      file.finish { outcome in
        if !isPart, let path = outcome.path { TemporaryFile.discard(path) }
        if let placed { TemporaryFile.discard(placed) }
      }
    }
    results.withLock { $0 = DownloadResults() }
  }

  public override var hasWorkToFinish: Bool { true }

  @preconcurrency
  public override func finishWork(after error: (any Error)?, _ done: @escaping @Sendable () -> Void) {
    let failure = self.error ?? error
    guard let file, let loop = task?.loop else {
      // Nothing came: the earlier part is as good as before.
      if failure != nil { keep(remainingPart) }
      return done()
    }
    let override = failure == nil ? overrides?.downloadOverride : nil
    let ending = DownloadEnding(
      request: request?.request, response: response, destination: destination, isTakenOver: override != nil, part: remainingPart,
      isContinued: offset > 0, total: total, failure: failure, keepsPart: !isCancelled(failure) || wantsResumeData.withLock { $0 }
    )
    file.finish { [self] outcome in
      let (results, ownFailure) = ending.settle(outcome)
      self.results.withLock { $0 = results }
      if failure == nil, ownFailure == nil { part.withLock { $0 = nil } }
      loop.execute { [self] in
        if let ownFailure, self.error == nil { self.error = ownFailure }
        tell(results, ownFailure, override)
        done()
      }
    }
  }

  /// Tells the listeners where the file is, or why there is no file.
  private func tell(
    _ results: DownloadResults, _ failure: TapelineError?, _ override: (@Sendable (SessionTask, URL) -> Void)?
  ) {
    guard let task else { return }
    if let override, failure == nil, let temporaryURL = results.temporaryURL { return override(task, temporaryURL) }
    guard let request = request as? DownloadRequest, let monitor = request.eventMonitor else { return }
    if let failure {
      monitor.request(request, didFinishDownloadingUsing: task, with: .failure(failure))
    } else if let fileURL = results.fileURL {
      monitor.request(request, didFinishDownloadingUsing: task, with: .success(fileURL))
      monitor.request(request, didCreateDestinationURL: fileURL)
    }
  }

  private var overrides: BoundOverrides? { request?.engine.delegate.overrides }

  // MARK: Parts

  private func begin(_ beginning: DownloadFile.Beginning, _ response: HTTPURLResponse) -> ResponseDisposition {
    guard let task else { return .cancel }
    let loop = task.loop
    let expected = response.expectedContentLength
    total = expected < 0 ? nil : offset + UInt64(expected)
    let file = DownloadFile(
      queue: fileQueue,
      roomAgain: { loop.execute { task.resumeReceiving() } },
      failed: { [weak self] error in
        guard let self else { return }
        loop.execute { [self] in fail(with: TapelineError.sessionTaskFailed(error: error)) }
      })
    self.file = file
    file.begin(beginning)
    return .proceed
  }

  private func resumed(at offset: UInt64) {
    let (completed, expected) = (Int64(clamping: offset), total.map { Int64(clamping: $0) } ?? -1)
    if let task, let overrides, let override = overrides.closures.downloadTaskDidResumeAtOffset {
      override(overrides.session, task, completed, expected)
    } else {
      request?.updateDownloadProgress(completed: completed, total: expected)
    }
  }

  /// Asks for the whole file in place of this response.
  private func startOver(without part: ResumeData) -> ResponseDisposition {
    guard let task, let request, let head = task.requestHead else { return .cancel }
    dropPart()
    var whole = URLRequest(head: head)
    whole.headers.remove(name: "Range")
    whole.headers.remove(name: "If-Range")
    do {
      task.decide(.repeat(try request.outgoing(for: whole), redirected: false))
      return .later
    } catch {
      fail(with: error)
      return .cancel
    }
  }

  /// The part can no longer be used: forgets and deletes it.
  private func dropPart() {
    let dropped = part.withLock { $0.take() }
    guard let dropped else { return }
    FileWork.queue.async { TemporaryFile.discard(dropped.temporaryPath) }
  }

  private func keep(_ part: ResumeData?) {
    guard let part else { return }
    results.withLock { $0.resumeData = part.encoded }
  }

  private func isCancelled(_ failure: (any Error)?) -> Bool {
    guard let failure = failure as? TapelineError, case .explicitlyCancelled = failure else { return false }
    return true
  }
}
