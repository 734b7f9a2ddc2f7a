import FoundationEssentials
import TapelineCore

/// Half a download, then the rest: what is there is kept, and the server proves that the rest belongs to it.
func download(_ server: Server) async throws -> String {
  let directory = FileManager.default.temporaryDirectory.appending(component: "core-uses-\(UUID())")
  let destination = DownloadRequest.suggestedDownloadDestination(
    in: directory, options: [.createIntermediateDirectories, .removePreviousFile])

  // This server stops half-way, so the download is cancelled there.
  let interrupted = AF.download(server.url + "/recording", to: destination)
  interrupted.downloadProgress { progress in
    if progress.fractionCompleted >= 0.5 { interrupted.cancel(producingResumeData: true) }
  }
  let resumeData = await interrupted.serializingDownloadedFileURL().response.resumeData
  guard let resumeData else { throw Unexpected("nothing to go on with") }

  // `resumeData` may be stored: it works in another process, too.
  let response = await AF.download(resumingWith: resumeData, to: destination).validate().serializingData().response
  let recording = try response.result.get()
  guard let file = response.fileURL, response.response?.statusCode == 206, recording.count == 1 << 20 else {
    throw Unexpected(response.debugDescription)
  }
  try FileManager.default.removeItem(at: directory)
  return "\(recording.count) bytes in \(file.lastPathComponent), half of them by resuming"
}
