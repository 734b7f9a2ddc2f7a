import FoundationEssentials
import TapelineCore
import TapelineHAR
import TapelineRecorder

func record(_ server: Server) async throws -> String {
  let file = FileManager.default.temporaryDirectory.appending(component: "core-uses-\(UUID()).har")
  let session = try Session(recording: file.path)
  let headers: HTTPHeaders = [.authorization(bearerToken: "5ecret-0f-0urs")]
  _ = await session.request(server.url + "/tape", headers: headers).serializingData().result
  _ = await session.request(server.url + "/missing").serializingData().result
  try session.recorder?.finish()

  let text = try Data(contentsOf: file)
  try FileManager.default.removeItem(at: file)
  let log = try HARLog(json: Array(text))
  guard log.entries.map(\.response.status) == [200, 404] else { throw Unexpected("\(log.entries)") }
  guard !String(decoding: text, as: UTF8.self).contains("5ecret-0f-0urs") else { throw Unexpected("a secret is in the log") }
  return "\(log.entries.count) entries in \(text.count) bytes"
}
