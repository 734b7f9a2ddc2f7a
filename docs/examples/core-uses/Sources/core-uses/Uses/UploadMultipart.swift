import FoundationEssentials
import TapelineCore

/// Fields and files of a form. A long one is encoded into a temporary file, not in memory.
func uploadMultipart(_ server: Server) async throws -> String {
  let cover = Data(repeating: 0xAB, count: 20_000)
  let parts =
    try await AF
    .upload(
      multipartFormData: { form in
        form.append(Data("Loopback".utf8), withName: "title")
        form.append(cover, withName: "cover", fileName: "cover.png", mimeType: "image/png")
      }, to: server.url + "/multipart"
    )
    .validate()
    .serializingDecodable([String: String].self)
    .value
  guard parts == ["title": "Loopback", "cover": "cover.png, 20000 bytes"] else { throw Unexpected("\(parts)") }
  return "\(parts.count) parts"
}
