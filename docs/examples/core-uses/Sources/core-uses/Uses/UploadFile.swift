import FoundationEssentials
import TapelineCore

/// A file is read while it is sent, never held in memory; progress is a sequence, or a handler.
func uploadFile(_ server: Server) async throws -> String {
  let file = URL(filePath: CommandLine.arguments[0])
  let upload = AF.upload(file, to: server.url + "/upload")
  let steps = upload.uploadProgress()
  async let last = steps.reduce(Progress()) { $1 }
  let receipt = try await upload.validate().serializingDecodable(UploadReceipt.self).value
  let progress = await last
  guard receipt.bytes == progress.completedUnitCount, progress.isFinished else { throw Unexpected("\(receipt), \(progress)") }
  return "\(receipt.bytes) bytes"
}

/// What the server got.
struct UploadReceipt: Decodable {
  let bytes: Int64
  let sha256: String
}
